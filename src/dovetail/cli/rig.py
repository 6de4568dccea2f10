"""Commands `dovetail rig serve`, `check`, `identify`, `opensees`, `key`; the real-time part of `dovetail run`."""

from __future__ import annotations

import math
import signal
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

app = typer.Typer(
    help="Serve a simulated rig, check a link, identify an actuator, create a key.", no_args_is_help=True
)

PRIORITY = 49  # real-time priority of a served rig, below that of the control loop (50)

Option = partial(typer.Option, show_default=False)  # the help sentences state the defaults
Argument = partial(typer.Argument, show_default=False)

TestName = Annotated[
    str, Argument(metavar="TEST", help="Test of a study (substructuring/cs1) or a test file.")
]
Key = Annotated[
    Path | None,
    Option(help="File with the shared key (required beyond this machine).", metavar="FILE"),
]
Host = Annotated[
    str, Option(help="Interface to listen on (default: this machine only; others need a token or key).")
]
Settings = Annotated[
    list[str] | None,
    Option(
        "--set",
        metavar="PATH=VALUE",
        help='Change a value of the test, for example --set rig.actuator.delay="7 ms". Repeatable.',
    ),
]
OutFolder = Annotated[Path | None, Option(help="Output folder (default: a new folder under runs/).")]


def load_user_parts(files: list[Path] | None) -> list[Path] | None:
    """Load files with user parts."""
    if files:
        from dovetail.core import user_parts

        for file in files:
            user_parts.add_command_line_parts(file)
    return files


Parts = Annotated[
    list[Path] | None,
    Option(
        "--parts",
        metavar="FILE.py",
        callback=load_user_parts,
        help='Load user parts from a file, for kind = "FILE:CLASS". Repeatable.',
    ),
]


TimeColumn = Annotated[str | None, Option(help='Column with the time, name or number, for example "t [ms]".')]
CommandColumn = Annotated[
    list[str] | None,
    Option(help='Column with the command, for example "x_cmd [mm]". Repeat for each axis.'),
]
MeasuredColumn = Annotated[
    list[str] | None,
    Option(help='Column with the measured displacement, for example "lvdt [mm]". Repeat for each axis.'),
]
SampleTime = Annotated[float | None, Option(help="Sample time (s), if the file has no time column.")]
MaxFrequency = Annotated[
    float | None, Option(help="Highest frequency of interest (Hz; default: from the test).")
]
ModelOrder = Annotated[
    int | None, Option(help="Number of poles of the identified model, 0 to 3 (default: selected).")
]


def recording_from(
    path: Path,
    time_column: str | None,
    command_column: list[str] | None,
    measured_column: list[str] | None,
    sample_time: float | None,
):
    """Return the recording in a run folder, or in a file with the named columns."""
    from dovetail import testing
    from dovetail.core.errors import ParameterError

    names = ("time", "command", "measured", "sample_time")
    values = (time_column, command_column, measured_column, sample_time)
    arguments: dict[str, Any] = {name: value for name, value in zip(names, values, strict=True) if value}
    if path.suffix and not path.is_dir():
        return testing.read_recording(path, **arguments)
    if arguments:
        first = next(iter(arguments))
        option = "--sample-time" if first == "sample_time" else f"--{first}-column"
        raise ParameterError(f"{option}: applies to a file, but {path} is a run folder; remove the option")
    return testing.read_run(path)


@app.command()
def identify(
    recording: Annotated[
        Path,
        Argument(metavar="RECORDING", help=".csv, .nc, .mat or .npz file, or a run folder."),
    ],
    time_column: TimeColumn = None,
    command_column: CommandColumn = None,
    measured_column: MeasuredColumn = None,
    sample_time: SampleTime = None,
    max_frequency: MaxFrequency = None,
    model_order: ModelOrder = None,
    out: Annotated[Path | None, Option(help="Output file with [rig.actuator], for a test file.")] = None,
) -> None:
    """Identify an actuator from recorded command and displacement; print [rig.actuator]."""
    from dovetail import assess
    from dovetail.core.errors import OutputError

    recorded = recording_from(recording, time_column, command_column, measured_column, sample_time)
    text = assess.to_toml(assess.identify_recording(recorded, high=max_frequency, order=model_order))
    if out is None:
        print(text, end="")
        return
    try:
        with out.open("x", encoding="utf-8") as target:
            target.write(text)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise OutputError(f"{out}: cannot be written ({reason}); choose another file") from error
    print("\n".join(line for line in text.splitlines() if line.startswith("#")))
    print(f"written   {out}")


@app.command()
def serve(
    test: TestName,
    host: Host = "localhost",
    port: Annotated[
        int | None, Option(help="Port (0: any free port; default: 7001 for a rig, 7002 for a cell).")
    ] = None,
    key: Key = None,
    settings: Settings = None,
    parts: Parts = None,
    max_link_timeout: Annotated[
        float,
        Option(help="Rig: longest time without a command before the rig returns to rest (s).", min=1e-3),
    ] = 0.2,
    pace: Annotated[
        float,
        Option(help="Wall-clock seconds per second of cell time (default: 0, as fast as possible).", min=0.0),
    ] = 0.0,
    state_file: Annotated[
        Path | None,
        Option(help="File that stores the state of the cell between moves.", metavar="FILE"),
    ] = None,
) -> None:
    """Serve a simulated rig or robot cell until Ctrl-C."""
    from dovetail import links, testing
    from dovetail.app.loading import parse_settings, require_test
    from dovetail.studies.registry import find_test
    from dovetail.testing.limits import rotary_axes

    loaded = testing.load(find_test(test), parse_settings(settings or []))
    if isinstance(loaded, testing.CellFile):
        return _serve_cell(loaded.cell(state_file=state_file, pace=pace), host, port, key)
    loaded = require_test(test, loaded, "realtime")
    server = links.RigServer(
        links.VirtualPlant(loaded),
        links.Address(host, 7001 if port is None else port),
        loaded.rate,
        limits=loaded.limits.rig_limits(rotary_axes(loaded)),
        key=links.read_key(key),
        name=f"simulated rig of {loaded.title}",
        report=lambda text: print(text, flush=True),
        priority=PRIORITY,
        max_link_timeout=max_link_timeout,
    )
    _stop_on_signal(server)
    print(
        f"serving   {server.name} at {server.address}, {loaded.rate:g} Hz; press Ctrl-C to stop", flush=True
    )
    server.serve()


def _serve_cell(cell, host: str, port: int | None, key: Path | None) -> None:
    """Serve a robot cell until Ctrl-C."""
    from dovetail import links
    from dovetail.links.cell_protocol import CELL_PORT

    server = links.CellServer(
        cell,
        links.Address(host, CELL_PORT if port is None else port),
        links.read_key(key),
        report=lambda text: print(text, flush=True),
    )
    _stop_on_signal(server)
    cell.prepare()
    print(f"serving   {cell.name} at {server.url}; press Ctrl-C to stop", flush=True)
    server.serve()


def _stop_on_signal(server) -> None:
    """Stop a server cleanly on SIGINT and SIGTERM. Called before the server announces its address."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: server.stop())


@app.command()
def check(
    address: Annotated[
        str,
        Argument(
            metavar="ADDRESS",
            help="udp://HOST:PORT of a rig, tcp://HOST:PORT of a cell, or FILE.py:CLASS.",
        ),
    ],
    test: Annotated[str | None, Option(help="Test whose rate and delay margin the link must meet.")] = None,
    rate: Annotated[float, Option(help="Exchange rate without --test (Hz; default: 1000).")] = 1000.0,
    count: Annotated[int, Option(help="Number of exchanges (default: 2000).", min=10)] = 2000,
    key: Key = None,
    allow_motion: Annotated[
        bool, Option("--allow-motion", help="Cell: allow small moves (default: no).")
    ] = False,
    max_travel: Annotated[
        float, Option(help="Cell: largest displacement of a move (m; default: 0.001).")
    ] = 1e-3,
    axes: Annotated[int, Option(help="Cell: number of axes (default: 6).", min=1)] = 6,
    parts: Parts = None,
) -> None:
    """Check the link to a rig, or the protocol conformance of a robot cell. Nothing moves by default.

    Exit code 1: no reply, a protocol violation, or a link too slow for the test.

    For a rig: round-trip time, jitter, loss, and the loop rate that the link supports. For a cell: every rule of the
    protocol that a pseudo-dynamic test relies on.
    """
    if not address.startswith("udp://"):
        raise typer.Exit(_check_cell(address, key, allow_motion, max_travel, axes))
    from dovetail import links
    from dovetail.app.loading import load_test
    from dovetail.links.link_check import check as measure

    loaded = load_test(test, mode="realtime") if test else None
    shape = loaded.shape if loaded else ()
    report = measure(
        address,
        rate=loaded.rate if loaded else rate,
        axes=shape[0] if shape else 1,
        count=count,
        key=links.read_key(key),
    )
    print(report)
    if not len(report.round_trips):
        raise typer.Exit(1)
    if loaded is not None and not _is_fast_enough(loaded, report):
        raise typer.Exit(1)


def _is_fast_enough(test, report) -> bool:
    """Print whether a link is fast enough for a test: its rate, and the delay margin after the round trip."""
    fast_enough = report.max_rate >= test.rate
    print(
        f"test            runs at {test.rate:g} Hz: "
        + (
            "the link is fast enough"
            if fast_enough
            else "the link is too slow; lower the rate of the test or reduce the delay of the link"
        )
    )
    stability = test.stability()
    margin = stability.margin - report.median
    if math.isnan(margin):
        print(f"delay margin    {stability.verdict}")
        return fast_enough
    from dovetail.core.si_prefix import value_text

    if math.isinf(margin):
        text = stability.verdict
    elif margin > 0:
        text = (
            f"{value_text(margin, 's')}, after rig, sensors, holds and this round trip ({stability.validity})"
        )
    else:
        text = (
            f"none: with this round trip the test exceeds the delay margin by {value_text(-margin, 's')} "
            f"({stability.validity})"
        )
    print(f"delay margin    {text}")
    return fast_enough and margin > 0


def _check_cell(address: str, key: Path | None, allow_motion: bool, max_travel: float, axes: int) -> int:
    """Check the protocol rules on the cell at an address, or on a driver class; return the exit code."""
    from dovetail import links

    with (
        links.RemoteCell(address, axes, links.read_key(key))
        if address.startswith("tcp://")
        else _driver(address) as cell
    ):
        print(f"{cell.name}: {cell.axes} axes; " + ("motion allowed" if allow_motion else "no motion"))
        findings = links.check_cell(cell, allow_motion=allow_motion, max_travel=max_travel)
    for finding in findings:
        print(finding)
    return 0 if all(finding.passed for finding in findings) else 1


def _driver(address: str):
    """Return the driver `FILE.py:CLASS`, created without arguments."""
    import importlib.util

    from dovetail.core.errors import ParameterError
    from dovetail.testing import Cell

    file, _, name = address.rpartition(":")
    if not file.endswith(".py") or not Path(file).is_file():
        raise ParameterError(
            f'ADDRESS: got "{address}". Expected udp://HOST:PORT of a rig, tcp://HOST:PORT of a robot cell, '
            "or FILE.py:CLASS of a cell driver"
        )
    spec = importlib.util.spec_from_file_location(Path(file).stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    driver = getattr(module, name, None)
    if not (isinstance(driver, type) and issubclass(driver, Cell)):
        raise ParameterError(f'{file}: found no class "{name}" derived from dovetail.testing.Cell')
    return driver()


@app.command()
def opensees(
    test: TestName,
    port: Annotated[int, Option(help="Port (0: any free port; default: 8090).")] = 8090,
    udp: Annotated[bool, Option("--udp", help="Use UDP (default: TCP).")] = False,
    initial_stiffness: Annotated[
        float,
        Option(help="Initial stiffness reported to implicit integrators (N/m; default: 0)."),
    ] = 0.0,
    settings: Settings = None,
    parts: Parts = None,
    out: Annotated[
        Path | None,
        Option(help="Record command and measurement of every step in FILE.nc.", metavar="FILE.nc"),
    ] = None,
    two_node: Annotated[
        bool, Option("--two-node", help="Impose the relative displacement of two nodes.")
    ] = False,
    once: Annotated[bool, Option("--once", help="Exit after the first client.")] = False,
) -> None:
    """Serve a simulated rig to the genericClient element of OpenSees until Ctrl-C."""
    from dovetail import links
    from dovetail.app.loading import load_test
    from dovetail.core.errors import OutputError
    from dovetail.core.recording import Recording
    from dovetail.core.recording_file import write_recording
    from dovetail.links.opensees import ElementServer, RigElement
    from dovetail.testing import run_folder

    loaded = load_test(test, settings or [], "realtime")
    specimen = RigElement(links.VirtualPlant(loaded), initial_stiffness, two_node=two_node)
    address = links.Address("127.0.0.1", port)
    if out is not None and out.exists():
        raise OutputError(f"{out}: already exists; choose another file or remove it")

    def save(recording):
        if once:
            server.stop()
        if out is None:
            return
        file = out if not out.exists() else run_folder.next_folder(out.parent, out.stem).with_suffix(".nc")
        write_recording(Recording.from_dataset(recording), file)
        print(f"written   {file}: {recording.sizes['time']} steps", flush=True)

    def report(text):
        print(text, flush=True)

    server = ElementServer(specimen, address, udp=udp, report=report, save=save)
    _stop_on_signal(server)
    words = f"'-server', {server.port}, '127.0.0.1'" + (", '-udp'" if udp else "")
    print(f"serving   {specimen.plant.axes} axes; one step of {loaded.dt:g} s is one tick", flush=True)
    nodes = "'-node', I, J, '-dof', D, '-dof', D" if two_node else "'-node', N, '-dof', D"
    print(f"in OpenSees: element('genericClient', TAG, {nodes}, {words})", flush=True)
    server.serve()


@app.command()
def key(file: Annotated[Path, Argument(metavar="FILE", help="Key file to create.")]) -> None:
    """Create a key file for both ends of a link, readable by its owner only."""
    from dovetail import links

    print(f"written   {links.write_key(file)}; copy it to the other end over a secure channel")
