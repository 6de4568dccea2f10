"""A sample of mutations is seeded, weighted, and leaves out what is known to change nothing."""

from collections import Counter
from pathlib import Path

from .changes import mutations
from .sample import WEIGHTS, belongs, equivalents, sample

SOURCE = Path(__file__).parents[2] / "src" / "dovetail"
TEXT = "".join(f"def f{i}(x, y):\n    return x + y\n" for i in range(400))


def test_a_longer_sample_of_a_seed_starts_with_the_shorter():
    sources = {"air/a.py": TEXT, "links/b.py": TEXT}
    short, long = sample(sources, 50, 1), sample(sources, 100, 1)
    assert long[:50] == short
    assert sample(sources, 50, 2) != short


def test_safety_and_laws_weigh_three_times_as_much():
    drawn = sample({"air/a.py": TEXT, "links/b.py": TEXT}, 80, 1)
    counts = Counter(mutation.file for mutation in drawn)
    assert 2 < counts["links/b.py"] / counts["air/a.py"] < 4.5  # 3 expected, of 80 drawn


def test_no_position_is_sampled_twice():
    drawn = sample({"air/a.py": TEXT}, 1000, 1)
    assert len({mutation.start for mutation in drawn}) == len(drawn) == 400


def test_every_weighted_package_is_there():
    for packages in WEIGHTS.values():
        for package in packages:
            assert (SOURCE / package).exists() or (SOURCE / f"{package}.py").exists(), package


def test_a_package_is_a_folder_or_a_file():
    assert belongs("links/egm/a.py", ["links"])
    assert belongs("links/tick.py", ["links/tick"])
    assert not belongs("linkserver/a.py", ["links"])


def test_every_equivalent_mutation_is_still_in_the_source_and_has_a_reason():
    known = equivalents()
    possible = set()
    for file in {place.partition("::")[0] for place, _ in known}:
        source = (SOURCE / file).read_text("utf-8")
        names = {place for place, _ in known}
        possible |= {
            (mutation.place, mutation.change(source))
            for alternatives in mutations(source, file)
            for mutation in alternatives
            if mutation.place in names
        }
    assert not set(known) - possible
    assert all(len(reason) > 10 for reason in known.values())
