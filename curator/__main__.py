"""`python -m curator`."""

from curator.cli import main

main()
