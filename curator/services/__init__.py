"""Work that composes the rooms below: importing, distilling, embedding, opening a search."""
