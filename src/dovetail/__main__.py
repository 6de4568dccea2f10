"""`python -m dovetail` is `dovetail`."""

from dovetail.cli.main import main

if __name__ == "__main__":
    main()
