"""Several devices of one person on any folder or object storage, encrypted end to end: `curator sync`.

Each device writes segments that no other device changes (`segments`), and reads those of the others (`run`).
`store.record.sync` makes and folds their contents.
"""
