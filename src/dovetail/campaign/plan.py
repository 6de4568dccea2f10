"""Campaign: a parameter study over one test or model.

A campaign file::

    title = "Delay against damping"
    test = "study/test"                  # test of a study, or a file; or model = / evaluate = "my_parts:function"
    modes = ["reference", "rehearse"]
    seeds = 4                            # replicates
    measures = ["rms e1", "peak displacement", "fidelity.delay", "my_parts:my_function"]
    parts = ["my_parts.py"]              # files with functions and parts of the user
    signals = ["displacement"]           # recorded signals to store; they take most of the space
    constraints = ["delay < 0.01"]

    [set]                                # changes of the test at all points
    duration = "2 s"

    [[parameter]]
    path = "rig.actuator.delay"
    min = "1 ms"
    max = "8 ms"
    count = 50

    [design]
    kind = "grid"                        # list, one-at-a-time, latin-hypercube, sobol, random, saltelli, morris
    count = 1000                         # sample size of a random design
    seed = 7
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from dovetail.campaign import analyses, constraints, distributions, sampling
from dovetail.campaign.axes import MAX_VALUES, VariedParameter, read_parameter
from dovetail.campaign.parameter_paths import flatten
from dovetail.campaign.plan_settings import read_settings
from dovetail.core.errors import (
    Fault,
    OutputError,
    ParameterError,
    TestFileError,
    UnknownNameError,
    collect_faults,
    format_value,
    unknown_key,
)
from dovetail.core.extensions import display, extension
from dovetail.core.renamed import new_name
from dovetail.core.toml_file import read_toml
from dovetail.core.units import SIGNAL
from dovetail.testing.memory_estimate import available_memory, format_size

KEYS = (
    "kind",
    "title",
    "source",
    "test",
    "model",
    "evaluate",
    "parts",
    "modes",
    "seeds",
    "measures",
    "signals",
    "constraints",
    *("set", "parameter", "correlation", "design", "chunk", "batch", "analysis"),
)
CORRELATION_KEYS = ("parameters", "coefficient")
FINGERPRINT_EXCLUDED = ("title", "source", "analyses", "chunk", "batch", "fixed")  # do not change results
RESERVED_NAMES = ("point", "seed", "mode", "outcome", "end_time")
SUBJECTS = ("test", "model", "evaluate")


@dataclass(frozen=True)
class Campaign:
    """Content of a campaign file, with its test; independent of where and how it is computed."""

    subject: str  # "test", "model" or "evaluate"
    subject_name: str  # name of the test, or "file:function"
    parameters: tuple[VariedParameter, ...]
    table: dict[str, Any] = field(default_factory=dict)  # test file as a table; constants of a model
    fixed: dict[str, Any] = field(default_factory=dict)  # values set by the campaign, by path
    title: str = ""
    source: str = ""
    design_kind: str = "grid"
    point_count: int = 0
    seed: int = 0
    modes: tuple[str, ...] = ("rehearse",)
    seeds: tuple[int, ...] = ()
    measures: tuple[str, ...] = ()
    signals: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    chunk: int = 0  # points stored together; 0: chosen from the memory estimate
    batch: int = 0  # points computed together; 0: chosen from the memory estimate
    analyses: tuple[dict[str, Any], ...] = ()
    correlations: tuple[distributions.Correlation, ...] = ()
    parts: dict[str, list[str]] = field(
        default_factory=dict
    )  # source of the user functions: see `core.user_parts`

    def points(self) -> sampling.Table:
        """Return all points in the order in which they are computed and stored (read-only arrays)."""
        return self._points

    @cached_property
    def _points(self) -> sampling.Table:
        table = self._design_table()
        if self.constraints:
            if self.design_kind in ("saltelli", "morris"):
                raise ParameterError(
                    f"constraints: not possible with a {self.design_kind} design, which needs all its points"
                )
            table = constraints.select_points(self.constraints, table)
        order = self._order(table)
        ordered = {name: column[order] for name, column in table.items()}
        for column in ordered.values():
            column.flags.writeable = False
        return ordered

    def design_order(self) -> np.ndarray:
        """Return the indices that bring `points` back into the order of the design."""
        return np.argsort(self._order(self._design_table()))

    def _require_memory(self) -> None:
        """Raise `ParameterError` if points and results do not fit in memory."""
        count = sampling.point_count(self.parameters, self.design_kind, self.point_count)
        results = max(len(self.measures), 1) * len(self.modes) * max(len(self.seeds), 1)
        size = 8 * count * (sampling.COPIES * len(self.parameters) + results)
        available = available_memory()
        if size > available:
            number = f"{count}" if count < 10**9 else "more than a billion"
            raise ParameterError(
                f"design: {number} points with {len(self.parameters)} parameters and {results} results each need "
                f"{format_size(min(size, 10**300))} of memory, {format_size(available)} are available; "
                "give fewer values or a smaller count"
            )

    def _design_table(self) -> sampling.Table:
        self._require_memory()
        return sampling.points(
            self.parameters, self.design_kind, self.point_count, self.seed, self.correlations
        )

    def _order(self, table: sampling.Table) -> np.ndarray:
        """Return an order in which points with the same text values are adjacent; they are computed together."""
        names = [parameter.name for parameter in self.parameters if not parameter.numeric]
        if not names:
            return np.arange(len(next(iter(table.values()))))
        keys = [np.unique(table[name].astype(str), return_inverse=True)[1] for name in reversed(names)]
        return np.lexsort(keys)

    def _repr_html_(self) -> str:
        return str(display("campaign-plan", self))

    def to_dict(self) -> dict[str, Any]:
        """Return the campaign as plain data, for a worker, a file or a fingerprint."""
        return json.loads(self._text)

    @cached_property
    def _text(self) -> str:
        return json.dumps(dataclasses.asdict(self))

    @classmethod
    def from_dict(cls, spec: Mapping[str, Any]) -> Campaign:
        """Return the campaign from plain data, as `to_dict` returns it."""

        def with_tuples(table: Mapping[str, Any]) -> dict[str, Any]:
            return {key: tuple(v) if isinstance(v, list) else v for key, v in table.items()}

        parameters = tuple(VariedParameter(**with_tuples(parameter)) for parameter in spec["parameters"])
        pairs = tuple(tuple(pair) for pair in spec.get("correlations", ()))
        return cls(**{**with_tuples(spec), "parameters": parameters, "correlations": pairs})

    @cached_property
    def fingerprint(self) -> str:
        """Hash of everything that changes a result; titles and analyses do not."""
        # the table of a test describes it completely, so its name is excluded
        excluded = (*FINGERPRINT_EXCLUDED, "subject_name") if self.subject == "test" else FINGERPRINT_EXCLUDED
        spec = {key: value for key, value in self.to_dict().items() if key not in excluded}
        return hashlib.sha256(json.dumps(spec, sort_keys=True).encode()).hexdigest()[:16]

    def difference(self, other: Campaign) -> str:
        """Return the differences from another campaign as a short text."""
        a, b = self.to_dict(), other.to_dict()
        keys = [key for key in a if a[key] != b[key] and key not in FINGERPRINT_EXCLUDED]
        if "parameters" in keys:
            names = [[parameter["name"] for parameter in spec["parameters"]] for spec in (a, b)]
            if names[0] != names[1]:
                return f"its parameters: {', '.join(names[0])}; given: {', '.join(names[1])}"
            pairs = zip(a["parameters"], b["parameters"], strict=True)
            first, second = next((p, q) for p, q in pairs if p != q)
            return f"its {first['name']}: {_values_text(first)}; given: {_values_text(second)}"
        labels = {
            "table": "[set] or values of the test",
            "parts": "source of the user functions",
            "subject_name": "subject",
            "point_count": "design.count",
            "design_kind": "design.kind",
        }
        return f"different {', '.join(labels.get(key, key) for key in keys)}"


def load(path: str | Path, changes: dict[str, Any] | None = None) -> Campaign:
    """Read a campaign file; `changes` replaces values at dotted paths, as for a test.

    Raises
    ------
    TestFileError
        With all faults of the file.
    OutputError
        If the file does not exist.
    """
    from dovetail.testing.test_table import change

    path = Path(path)
    table = read_toml(path, "campaign file")
    return parse(change(table, changes or {}, path.name), path.name, path.parent)


def parse(table: Mapping[str, Any], source: str = "campaign", folder: Path = Path()) -> Campaign:
    """Return a campaign from the nested table of its file."""
    from dovetail.testing.test_table import read_user_parts

    faults = [
        Fault(key, unknown_key(key, KEYS, new_name("keys.campaign", key))) for key in table if key not in KEYS
    ]
    if table.get("kind", "campaign") != "campaign":
        faults.append(
            Fault("kind", f'got {format_value(table["kind"])}; expected "campaign", or remove the key')
        )
    subjects = [key for key in SUBJECTS if key in table]
    if len(subjects) != 1:
        faults.append(
            Fault("test", f"set one of {', '.join(SUBJECTS)}; found {', '.join(subjects) or 'none'}")
        )
        raise TestFileError(source, faults)
    subject = subjects[0]
    table = read_user_parts(dict(table), folder, source, with_command_line=True)
    inner, unit_of = _subject_table(subject, table, folder, faults)
    parameters = _parameters(table.get("parameter", []), unit_of, faults)
    if subject == "test":
        parameters = [_with_full_paths(parameter, inner, folder) for parameter in parameters]
    values = read_settings(table, subject, faults)
    numeric = [parameter.name for parameter in parameters if parameter.numeric]
    values["correlations"] = distributions.read_correlations(table.get("correlation", []), numeric, faults)
    if faults:
        raise TestFileError(source, faults)
    values["modes"] = values["modes"] or _default_mode(inner)
    users = {text.partition(":")[0] for text in (str(table[subject]), *values["measures"])}
    values["parts"] = {name: lines for name, lines in table.get("parts", {}).items() if name in users}
    fixed = flatten(table.get("set", {}))
    name = _full_name(str(table[subject]), folder)
    return complete(Campaign(subject, name, tuple(parameters), inner, fixed, **values), source)


def _parameters(entries: Any, unit_of: Any, faults: list[Fault]) -> list[VariedParameter]:
    """Return the varied parameters of `[[parameter]]`."""
    if not isinstance(entries, list) or not entries:
        faults.append(Fault("parameter", "none given; vary at least one parameter with [[parameter]]"))
        entries = []
    counts = [entry.get("count") for entry in entries if isinstance(entry, Mapping)]
    total = sum(count for count in counts if type(count) is int)
    if total > MAX_VALUES:
        text = f"the counts add up to more than {MAX_VALUES} values; use a random design, which needs none"
        faults.append(Fault("parameter", text))
        entries = []
    parameters = []
    for i, entry in enumerate(entries):
        if not isinstance(entry, Mapping):
            faults.append(
                Fault(f"parameter.{i}", f"got {format_value(entry)}; expected a table, [[parameter]]")
            )
            continue
        parameter, entry_faults = read_parameter(entry, f"parameter.{i}", unit_of(entry))
        faults += entry_faults
        if parameter is not None:
            parameters.append(parameter)
    names = [parameter.name for parameter in parameters]
    faults += [
        Fault("parameter", f'"{name}" names two parameters; rename one of them')
        for name in sorted({name for name in names if names.count(name) > 1})
    ]
    faults += [
        Fault("parameter", f'"{name}" is reserved; choose another name')
        for name in names
        if name in RESERVED_NAMES
    ]
    return parameters


def complete(campaign: Campaign, source: str = "campaign") -> Campaign:
    """Return the campaign with the default of each parameter; check its points, subject and analyses."""
    from dovetail.campaign.subjects import subject_of

    def check() -> list[Fault]:
        return analyses.find_faults(campaign.analyses, subject.names(), campaign.design_kind)

    try:
        subject = subject_of(campaign)
        parameters = tuple(
            dataclasses.replace(parameter, default=subject.default(parameter))
            if parameter.default is None
            else parameter
            for parameter in campaign.parameters
        )
        campaign = dataclasses.replace(campaign, parameters=parameters)
        campaign.points()
        if faults := collect_faults("analysis", check):
            raise TestFileError(source, faults)
    except TestFileError as error:
        raise TestFileError(source, error.faults) from error
    except (ParameterError, UnknownNameError) as error:
        raise TestFileError(source, [Fault("campaign", str(error))]) from error
    return campaign


def _subject_table(subject: str, table: Mapping[str, Any], folder: Path, faults: list[Fault]):
    """Return the table of the test with its changes (constants of a model) and a function for parameter units."""
    fixed = table.get("set", {})
    if not isinstance(fixed, Mapping) or not _is_plain(fixed):
        text = f"got {format_value(fixed)}; expected a table of numbers, texts and lists of them"
        faults.append(Fault("set", text))
        return {}, lambda entry: SIGNAL
    if subject != "test":
        return dict(fixed), lambda entry: None
    from dovetail.campaign.parameter_paths import clear_cache, parse_cached, unit_at
    from dovetail.testing.test_file import read_table, with_absolute_names
    from dovetail.testing.test_table import change

    path = find_test(str(table["test"]), folder)
    clear_cache()
    try:
        # file names in the test are relative to its folder, those in the campaign to the campaign's folder
        inner = with_absolute_names(change(read_table(path), flatten(fixed), path.name), folder)
        test = parse_cached(inner, _full_name(str(table["test"]), folder))
    except OutputError as error:
        raise TestFileError(path.name, [Fault("test", str(error))]) from error
    except TestFileError as error:
        faults += [Fault(f"test.{fault.path}", fault.text) for fault in error.faults]
        return {}, lambda entry: SIGNAL
    return inner, lambda entry: unit_at(test, entry)


def _default_mode(inner: dict[str, Any]) -> tuple[str, ...]:
    """Return the mode of a campaign without `modes`."""
    from dovetail.testing import Rehearse, Simulate

    return (Simulate.name if "numerical" in inner and "rig" not in inner else Rehearse.name,)


def _is_plain(node: Any) -> bool:
    """Return whether a table can be stored: numbers, texts, and lists and tables of them."""
    if isinstance(node, Mapping):
        return all(_is_plain(value) for value in node.values())
    if isinstance(node, list):
        return all(_is_plain(value) for value in node)
    return isinstance(node, str | bool | float) or (type(node) is int and abs(node) < 2**63)


def _with_full_paths(parameter: VariedParameter, inner: dict[str, Any], folder: Path) -> VariedParameter:
    """Return the parameter with absolute file names among its values, resolved from the campaign's folder."""
    if parameter.numeric or not inner:
        return parameter
    from dovetail.testing.paths import get
    from dovetail.testing.test_file import with_absolute_names
    from dovetail.testing.test_table import change

    path = parameter.paths[0]
    values = (
        get(with_absolute_names(change(inner, {path: value}), folder), path) for value in parameter.values
    )
    return dataclasses.replace(parameter, values=tuple(values))


def find_test(name: str, folder: Path = Path()) -> Path:
    """Return the file of a test: relative to the campaign file, or a test of a study by its name."""
    if name.endswith(".toml"):
        return folder / name
    file: Path = extension("dovetail.tests", "find")(name)
    return file


def _full_name(subject_name: str, folder: Path) -> str:
    """Return the name of the subject, valid in any folder: absolute for a file."""
    return str((folder / subject_name).resolve()) if subject_name.endswith(".toml") else subject_name


def _values_text(parameter: Mapping[str, Any]) -> str:
    """Return the values of a parameter as a short text."""
    values = parameter["values"]
    if len(values) > 4:
        return f"{len(values)} values from {values[0]} to {values[-1]}"
    if parameter["distribution"] != "uniform":
        return f"{parameter['distribution']} distribution, centre {parameter['centre']:g}"
    return ", ".join(map(str, values)) or f"{parameter['low']:g} to {parameter['high']:g}"
