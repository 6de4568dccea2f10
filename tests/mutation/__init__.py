"""Mutation testing: one small change of the source at a time, and the tests that should notice it.

`make mutate` runs it; from this checkout, `PYTHONPATH=tests python -m mutation --help` lists the options.
"""
