"""A snapshot of the tables of `curator sql` on object storage or in a folder, for machines without the record.

    parts/<hash>.parquet        rows of one table (`store.analytics.sql_tables`), named by the hash of their content
    manifests/<number>.json     the parts of each table, written after them; the highest number is the newest snapshot

Objects are never changed, so a reader sees a complete snapshot or none, and fetches only missing parts. It fetches them
with the same library as `curator sync` and reads the files with DuckDB: DuckDB's own access to S3 is an extension that
it downloads at first use. Snapshots are not encrypted, and written only if `snapshot.target` is set.

Insights of the app never read a snapshot: the app has a record, and copies its memories faster from there.
"""
