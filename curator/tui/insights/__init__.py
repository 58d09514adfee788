"""The Insights view."""
