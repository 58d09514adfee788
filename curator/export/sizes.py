"""Sizes of files in words."""


def byte_size(size: int) -> str:
    """Return a size as `1.4 GB`, `83 MB` or `12 kB`."""
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB"
