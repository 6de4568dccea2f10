"""Seeded fuzzing of every reader: whatever comes in, out comes what was read or an error of our own.

`mutation` damages tables and bytes, `files` and `protocols` name the readers and what each is given, `harness`
judges and keeps what was found. `make fuzz` runs it for an hour (`SECONDS=600` for less); a few hundred cases
and the whole corpus run with the tests.
"""
