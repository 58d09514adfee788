"""`python -m curator`."""

from curator.main import main

main()
