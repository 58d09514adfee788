"""The Sweeps view."""
