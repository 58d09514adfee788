"""The areas of the app: each fills the screen between the lines that frame it."""
