"""`dovetail rig serve`, `rig check`, `rig key`, and the real-time side of `dovetail run`."""

from __future__ import annotations

import math
import signal
import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer

app = typer.Typer(help="Serve a virtual rig, check the link to a rig, make a key.", no_args_is_help=True)

PRIORITY = 49  # of a served rig, where real-time priorities are permitted: below the loop's 50

Key = Annotated[
    Path | None, typer.Option(help="File with the shared key; needed beyond this machine.", metavar="FILE")
]
Settings = Annotated[
    list[str] | None, typer.Option("--set", metavar="PATH=VALUE", help="Change a value of the test.")
]


def bring(files: list[Path] | None) -> list[Path] | None:
    """Run files with parts of the user's own, so that the test finds them."""
    if files:
        from dovetail.core import user_parts

        for file in files:
            user_parts.say(file)
    return files


Parts = Annotated[
    list[Path] | None,
    typer.Option(
        "--parts", metavar="FILE.py", callback=bring, help='Parts of your own, for kind = "FILE:CLASS".'
    ),
]


Time = Annotated[
    str | None, typer.Option(help='Of a recording: column of the times, "t [ms]"; by name or number.')
]
Command = Annotated[
    list[str] | None,
    typer.Option(help='Of a recording: column of the command, "x_cmd [mm]"; one for each axis.'),
]
Measured = Annotated[
    list[str] | None, typer.Option(help='Of a recording: column of the measured displacement, "lvdt [mm]".')
]
Spacing = Annotated[
    float | None, typer.Option(help="Of a recording: time between samples [s], where it has no times.")
]


def recording_in(
    path: Path,
    time: str | None,
    command: list[str] | None,
    measured: list[str] | None,
    spacing: float | None,
):
    """The recording of a run's folder, or of a file with its columns named."""
    from dovetail import testing
    from dovetail.core.errors import ParameterError

    given: dict[str, Any] = {"time": time, "command": command, "measured": measured, "spacing": spacing}
    said = {name: value for name, value in given.items() if value}
    if path.suffix and not path.is_dir():
        return testing.read_recording(path, **said)
    if said:
        raise ParameterError(f"--{next(iter(said))}: is of a file, and {path} is a folder; leave it out")
    return testing.read(path)


@app.command()
def identify(
    file: Annotated[
        Path,
        typer.Argument(metavar="RECORDING", help="A .csv, .nc, .mat or .npz file, or the folder of a run."),
    ],
    time: Time = None,
    command: Command = None,
    measured: Measured = None,
    spacing: Spacing = None,
    frequency: Annotated[float | None, typer.Option(help="Highest frequency of interest [Hz].")] = None,
    model_order: Annotated[int | None, typer.Option(help="Poles of the model, 0 to 3.")] = None,
    out: Annotated[Path | None, typer.Option(help="File to write, ready for a test file.")] = None,
) -> None:
    """Identify a rig from a recording of its command and measured displacement; prints its [rig.actuator]."""
    from dovetail import assess
    from dovetail.core.errors import OutputError

    recorded = recording_in(file, time, command, measured, spacing)
    text = assess.as_toml(assess.identify_recording(recorded, high=frequency, order=model_order))
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
    test: Annotated[str, typer.Argument(metavar="TEST", help="A study's test or a file.")],
    host: Annotated[
        str, typer.Option(help="Where to listen; beyond loopback a key is needed.")
    ] = "localhost",
    port: Annotated[
        int | None, typer.Option(help="Port; 0 takes a free one; 7001 for a rig, 7002 for a cell.")
    ] = None,
    key: Key = None,
    settings: Settings = None,
    parts: Parts = None,
    pace: Annotated[
        float,
        typer.Option(help="A cell: seconds here for a second of its own; 0 is as fast as can be.", min=0.0),
    ] = 0.0,
    state: Annotated[
        Path | None,
        typer.Option(help="A cell: file in which it keeps its state between moves.", metavar="FILE"),
    ] = None,
) -> None:
    """Serve the virtual rig of a test, or a robot cell, until Ctrl-C."""
    from dovetail import links, testing
    from dovetail.cli.run import able, parse_settings
    from dovetail.studies.registry import find_test
    from dovetail.testing.limit_monitor import turning

    loaded = testing.load(find_test(test), parse_settings(settings or []))
    if isinstance(loaded, testing.CellFile):
        return _serve_cell(loaded.cell(keep=state, pace=pace), host, port, key)
    loaded = able(test, loaded, "run")
    server = links.Server(
        links.VirtualPlant(loaded),
        links.Address(host, 7001 if port is None else port),
        loaded.rate,
        limits=loaded.limits.of_rig(turning(loaded)),
        key=links.read_key(key),
        name=f"virtual rig of {loaded.title}",
        report=lambda text: print(text, flush=True),
        priority=PRIORITY,
    )
    _stop_when_told(server)
    print(f"serving   {server.name} at {server.address}, {loaded.rate:g} Hz; Ctrl-C ends it", flush=True)
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
    _stop_when_told(server)
    cell.prepare()
    print(f"serving   {cell.name} at {server.url}; Ctrl-C ends it", flush=True)
    server.serve()


def _stop_when_told(server) -> None:
    """Ctrl-C and a request to terminate end a server in order; from before it says that it is there."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: server.stop())


@app.command()
def check(
    url: Annotated[
        str,
        typer.Argument(
            metavar="URL", help="udp://HOST:PORT of a rig, tcp://HOST:PORT of a cell, or FILE.py:CLASS."
        ),
    ],
    test: Annotated[str | None, typer.Option(help="A test: its rate, and the delay it has left.")] = None,
    rate: Annotated[float, typer.Option(help="[Hz] of the exchanges, where no test is given.")] = 1000.0,
    count: Annotated[int, typer.Option(help="Number of exchanges.", min=10)] = 2000,
    key: Key = None,
    moving: Annotated[bool, typer.Option("--moving", help="A cell: let it make small moves.")] = False,
    reach: Annotated[float, typer.Option(help="A cell: how far it may move [m].")] = 1e-3,
    axes: Annotated[int, typer.Option(help="A cell: number of its axes.", min=1)] = 6,
    parts: Parts = None,
) -> None:
    """Check the link to a rig, or that a robot cell or its driver keeps the rules. Nothing moves unless told.

    It ends with 1 where no exchange was answered, a rule is broken, or the link does not carry the test: too slow for
    its rate, or later than its loop bears.

    For a rig: round trip, jitter, loss, and the loop rate that the link supports. For a cell: every rule that a
    creep test relies on.
    """
    if not url.startswith("udp://"):
        raise typer.Exit(_check_cell(url, key, moving, reach, axes))
    from dovetail import links
    from dovetail.cli.run import runnable
    from dovetail.links.link_check import check as measure

    loaded = runnable(test, mode="run") if test else None
    shape = loaded.shape if loaded else ()
    report = measure(
        url,
        rate=loaded.rate if loaded else rate,
        axes=shape[0] if shape else 1,
        count=count,
        key=links.read_key(key),
    )
    print(report)
    if not len(report.round_trips):
        raise typer.Exit(1)
    if loaded is not None and not _carries(loaded, report):
        raise typer.Exit(1)


def _carries(test, report) -> bool:
    """Whether a link carries a test, said in two lines: its rate, and the delay that it leaves."""
    quick = report.fastest >= test.rate
    print(
        f"test            runs at {test.rate:g} Hz: "
        + (
            "the link is quick enough"
            if quick
            else "too fast for this link; lower its rate, or find what delays"
        )
    )
    outlook = test.stability()
    left = outlook.margin - report.median
    if math.isnan(left):
        print("delay left      not known: " + ("; ".join(outlook.remarks) or "the loop was not analysed"))
        return quick
    if math.isinf(left):
        text = (
            "any: no delay destabilises this loop"
            if left > 0
            else "none: the loop is unstable whatever the delay"
        )
    elif left > 0:
        text = f"{1e3 * left:.2f} ms that the loop bears beyond rig, sensors, holds and this round trip"
    else:
        text = f"none: with this round trip the loop is {-1e3 * left:.2f} ms too late and unstable"
    print(f"delay left      {text}")
    return quick and left > 0


def _check_cell(url: str, key: Path | None, moving: bool, reach: float, axes: int) -> int:
    """Try the rules on the cell at a url, or on a driver's class; the exit code."""
    from dovetail import links

    with (
        links.RemoteCell(url, axes, links.read_key(key)) if url.startswith("tcp://") else _driver(url) as cell
    ):
        print(f"{cell.name}: {cell.axes} axes; " + ("it moves" if moving else "nothing moves"))
        findings = links.check_cell(cell, moving=moving, reach=reach)
    for finding in findings:
        print(finding)
    return 0 if all(finding.kept for finding in findings) else 1


def _driver(place: str):
    """A driver from `FILE.py:CLASS`, made without arguments."""
    import importlib.util

    from dovetail.core.errors import ParameterError
    from dovetail.testing import Cell

    file, _, name = place.rpartition(":")
    if not file.endswith(".py") or not Path(file).is_file():
        raise ParameterError(
            f'got "{place}"; the address of a rig has the form udp://HOST:PORT, that of a robot cell '
            "tcp://HOST:PORT, a driver of one FILE.py:CLASS"
        )
    spec = importlib.util.spec_from_file_location(Path(file).stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    driver = getattr(module, name, None)
    if not (isinstance(driver, type) and issubclass(driver, Cell)):
        raise ParameterError(f'{file}: has no class "{name}" that is a dovetail.testing.Cell')
    return driver()


@app.command()
def opensees(
    test: Annotated[str, typer.Argument(metavar="TEST", help="A study's test or a file.")],
    port: Annotated[int, typer.Option(help="Port on this machine; 0 takes a free one.")] = 8090,
    udp: Annotated[bool, typer.Option("--udp", help="UDP instead of TCP.")] = False,
    stiffness: Annotated[
        float, typer.Option(help="[N/m] what an implicit integrator is told; the forces are the rig's.")
    ] = 0.0,
    settings: Settings = None,
    parts: Parts = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Write what was commanded and read in every step to FILE.nc.", metavar="FILE.nc"),
    ] = None,
    between: Annotated[
        bool, typer.Option("--between", help="The rig lies between two nodes and follows their difference.")
    ] = False,
    once: Annotated[bool, typer.Option("--once", help="End after the first client.")] = False,
) -> None:
    """Serve the virtual rig of a test to the genericClient element of OpenSees, until Ctrl-C."""
    from dovetail import links
    from dovetail.cli.run import runnable
    from dovetail.core.errors import OutputError
    from dovetail.links.opensees import ElementServer, RigElement
    from dovetail.testing import run_folder

    loaded = runnable(test, settings or [], "run")
    specimen = RigElement(links.VirtualPlant(loaded), stiffness, between=between)
    address = links.Address("127.0.0.1", port)
    if out is not None and out.exists():
        raise OutputError(f"{out}: is already there; choose another file or remove it")

    def keep(recording):
        if once:
            server.stop()
        if out is None:
            return
        file = out if not out.exists() else run_folder.next_folder(out.parent, out.stem).with_suffix(".nc")
        recording.to_netcdf(file, engine="h5netcdf")
        print(f"written   {file}: {recording.sizes['time']} steps", flush=True)

    def report(text):
        print(text, flush=True)

    server = ElementServer(specimen, address, udp=udp, report=report, keep=keep)
    _stop_when_told(server)
    words = f"'-server', {server.port}, '127.0.0.1'" + (", '-udp'" if udp else "")
    print(f"serving   {specimen.plant.axes} axes; one step of {loaded.dt:g} s is one tick", flush=True)
    nodes = "'-node', I, J, '-dof', D, '-dof', D" if between else "'-node', N, '-dof', D"
    print(f"in OpenSees: element('genericClient', TAG, {nodes}, {words})", flush=True)
    server.serve()


@app.command()
def key(file: Annotated[Path, typer.Argument(metavar="FILE")]) -> None:
    """Make a key for both sides of a link, in a file that only its owner can read."""
    from dovetail import links

    print(f"written   {links.write_key(file)}; copy it to the other side by a safe way")


def run_against(test, url: str, key: Path | None, folder: Path | None = None):
    """The run mode, with a bar of the test's time; with a folder, in such a way that it can be watched."""
    from contextlib import ExitStack

    from dovetail import links
    from dovetail.cli.progress import telling
    from dovetail.links.live_run import Live

    with ExitStack() as stack, telling("running", "connecting and compiling", remaining=False) as tell:
        watched = {}
        if folder is not None:
            live = stack.enter_context(Live(test, folder, "run"))
            watched = {"operator": live.operator, "window": live.window}
        return test.run(url, key=links.read_key(key), **watched, progress=tell)


def describe(run) -> str:
    """How clock and link did, in a few lines."""
    from dovetail.links.tick_budget import budget

    told = run.data.attrs
    rows = [str(budget(run.data))] if run.data.sizes["time"] > 1 else []
    rows.append(
        f"link      {told['datagrams_sent']} sent, {told['datagrams_lost']} unanswered; "
        f"{told['ticks_late']} ticks late, {told['ticks_held']} held; {told['tick']} tick"
    )
    rows += [
        f"{word.replace('_', ' ')}: {told[word]}"
        for word in ("real_time_policy", "locked_memory")
        if str(told.get(word, "")).startswith("refused")
    ]
    return "\n".join(rows)


def save_somewhere(run, target: Path) -> Path:
    """Save a run; where its folder cannot take it, in the system's temporary folder, so that it is kept."""
    from dovetail.core.errors import OutputError
    from dovetail.testing import run_folder

    failures = (OSError, RuntimeError)  # a full disk is the latter where HDF5 meets it
    try:
        return run_folder.save(run, target)
    except failures as error:
        second = Path(tempfile.mkdtemp(prefix="dovetail-run-"))
        try:
            run_folder.save(run, second)
        except failures as again:
            raise OutputError(f"{target}: cannot be written ({error}), nor can {second} ({again})") from error
        print(f"{target}: cannot be written ({error}); the run is in {second} instead")
        return second
