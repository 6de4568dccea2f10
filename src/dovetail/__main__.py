"""`python -m dovetail` is `dovetail`."""

from dovetail.cli.process import process

if __name__ == "__main__":
    process()
