"""`python -m dovetail` is `dovetail`."""

from dovetail.cli.main import process

if __name__ == "__main__":
    process()
