"""Several devices of one person on any folder or object storage, encrypted end to end: `curator sync`.

Each device writes segments that no other changes (`segments`), and reads those of the others (`run`). What they say is
folded by `store.record.sync`.
"""
