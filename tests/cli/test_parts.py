"""`dovetail parts`."""

import subprocess
import sys

import pytest

from dovetail import __version__
from dovetail.cli.parts import family, part_description, print_parts
from dovetail.core.errors import UnknownNameError
from dovetail.core.kind_sources import full_name
from dovetail.core.kinds import all_kinds, entry_of, find
from dovetail.specimens import Specimen
from dovetail.transfer import Transfer


def test_every_kind_is_listed_in_its_family_with_a_description(capsys):
    print_parts(None)
    lines = capsys.readouterr().out.splitlines()
    told = {line.split()[0]: line.split(maxsplit=1)[1] for line in lines if line.startswith("  ")}
    assert set(told) == set(all_kinds())
    assert all(len(sentence) > 4 for sentence in told.values()), [k for k, s in told.items() if len(s) <= 4]


@pytest.mark.parametrize(
    ("kind", "base"), [("delay", Transfer), ("spring", Specimen), ("shaped-noise", Transfer)]
)
def test_a_family_is_the_most_general_documented_base(kind, base):
    assert family(entry_of(find(kind))) == full_name(base)


def test_a_kind_is_printed_with_unit_range_default_meaning_and_example(capsys):
    print_parts("second-order-lag")
    told = capsys.readouterr().out
    for words in (
        "rad/s",
        "above 0",
        "required",
        "damping ratio",
        "d²y/dt²",
        "foh, zoh",
        'kind = "second-order-lag"',
    ):
        assert words in told


def test_every_kind_can_be_printed():
    for name, cls in all_kinds().items():
        assert f'kind = "{name}"' in part_description(name, cls)


def test_a_family_can_be_printed(capsys):
    print_parts("Specimen")
    told = capsys.readouterr().out
    assert "spring" in told
    assert "second-order-lag" not in told


def test_an_unknown_part_gets_the_nearest_name_and_a_hint():
    with pytest.raises(UnknownNameError, match=r'no part "springs"; did you mean "spring"\?'):
        print_parts("springs")
    with pytest.raises(
        UnknownNameError,
        match=r"`dovetail parts`.*`dovetail parts KIND`.*write-a-part",
    ):
        find("springs")


def test_running_the_module_equals_running_the_command():
    done = subprocess.run(
        [sys.executable, "-m", "dovetail", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"dovetail {__version__}\n"
