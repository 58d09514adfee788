"""The Inbox and the Memories view."""
