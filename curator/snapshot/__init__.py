"""A snapshot of the tables of `curator sql` on object storage or in a folder, for machines without the record.

    parts/<hash>.parquet        rows of one table (`store.analytics.sql_tables`), named by their content
    manifests/<number>.json     the parts of each table; written after them, the highest number counts

Objects are never changed, so a reader sees a whole snapshot or none, and fetches only parts that it does not have. It
fetches them through the same library as `curator sync` and reads the files with DuckDB: DuckDB's own access to S3 is an
extension that it downloads at first use. Words are in the clear, and only `snapshot.target` makes it be written.

Insights of the app never read it: an app has a record, and copies its memories faster from there.
"""
