"""`python -m curator`."""

from curator.launch import main

main()
