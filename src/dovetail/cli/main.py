"""The command line. Heavy imports happen inside the commands, so that `--help` answers at once."""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from dovetail import __version__
from dovetail.cli import rig
from dovetail.cli.rig import Parts

# objects, and collections of them, between looks for garbage: what a command imports and traces stays to its end
RARELY = (50_000, 20, 20)
INTERRUPTED = 130  # the code of a command that was

app = typer.Typer(
    name="dovetail",
    help="A workbench for hybrid tests: part of a machine is real, the rest is simulated.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

app.add_typer(rig.app, name="rig")

TestName = Annotated[
    str, typer.Argument(metavar="TEST", help="A study's test (substructuring/cs1) or a file.")
]
Study = Annotated[str | None, typer.Argument(help="Only this study.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for other programs.")]
Meshes = Annotated[
    list[str] | None,
    typer.Option(
        "--mesh",
        metavar="PART=FILE",
        help="A mesh of your own for a part of the picture: STL, OBJ or glTF; aircraft=heli.stl@mm.",
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="PATH=VALUE", help='Change a value: --set rig.actuator.delay="7 ms".'),
]


@app.callback(invoke_without_command=True)
def _general(
    version: Annotated[bool, typer.Option("--version", help="Print the version.", is_eager=True)] = False,
) -> None:
    if version:
        print(f"dovetail {__version__}")
        raise typer.Exit


@app.command("list")
def list_() -> None:
    """Studies and tests, one line each."""
    from dovetail.cli.list_tests import print_studies

    print_studies()


@app.command()
def parts(
    name: Annotated[
        str | None, typer.Argument(metavar="KIND", help="A kind (second-order-lag) or a family (Specimen).")
    ] = None,
    own: Parts = None,
) -> None:
    """What test files can name: families and kinds, a sentence each; one with its parameters and an example."""
    from dovetail.cli.parts import print_parts

    print_parts(name)


@app.command()
def new(
    what: Annotated[str, typer.Argument(metavar="WHAT", help="What to begin: part, test, study.")],
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of its file or folder: my_damper.")],
) -> None:
    """Write commented files to begin a part, a test or a study of your own with, and their test."""
    from dovetail.cli.new import start

    start(what, name)


@app.command()
def run(
    test: TestName,
    mode: Annotated[
        str | None,
        typer.Option(
            help="How time advances: emulate, rehearse, run, creep, replay; a simulation has its own."
        ),
    ] = None,
    settings: Settings = None,
    parts: Parts = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder to write; a new one under runs/ by default.")
    ] = None,
    recording: Annotated[Path | None, typer.Option(help="For replay: the folder of an earlier run.")] = None,
    rig: Annotated[
        str | None,
        typer.Option(help="For run: the rig, udp://HOST:PORT. For creep: the robot cell, tcp://HOST:PORT."),
    ] = None,
    key: Annotated[Path | None, typer.Option(help="File with the key shared with the rig or cell.")] = None,
    resume: Annotated[
        Path | None, typer.Option(help="For creep: go on with the run in this folder.", metavar="DIR")
    ] = None,
    report: Annotated[bool, typer.Option(help="Write an HTML report beside the recording.")] = True,
    live: Annotated[
        bool,
        typer.Option(help="For run and creep: let `dovetail view FOLDER` watch it and press its buttons."),
    ] = True,
) -> None:
    """Run a test and write its folder: resolved test, recording, outcome, report."""
    from dovetail.cli.run import run_test

    raise typer.Exit(run_test(test, mode, settings or [], out, recording, report, rig, key, resume, live))


@app.command()
def campaign(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A campaign file, or a study's campaign.")],
    settings: Settings = None,
    parts: Parts = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder to write; a new one under runs/ by default.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the campaign in --out: compute what is missing.")
    ] = False,
    workers: Annotated[int, typer.Option(help="Start a local cluster of so many processes.", min=0)] = 0,
    cluster: Annotated[
        str | None, typer.Option(help="Use the cluster whose scheduler is at tcp://HOST:PORT.")
    ] = None,
    answers: Annotated[
        bool,
        typer.Option(
            "--answers", help="Compute no point: answer the questions of FILE from the folder in --out."
        ),
    ] = False,
) -> None:
    """Compute a test at many points, chunk by chunk into a store, and answer from it."""
    from dovetail.cli.campaign import run_campaign

    raise typer.Exit(run_campaign(file, settings or [], out, resume, workers, cluster, answers))


@app.command()
def design(
    test: Annotated[
        str,
        typer.Argument(
            metavar="TEST_OR_RUN", help="A study's test, a file, or the folder of a recorded run."
        ),
    ],
    settings: Settings = None,
    parts: Parts = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder to write; a new one under runs/ by default.")
    ] = None,
    recording: Annotated[
        Path | None,
        typer.Option(
            help="Identify from a run's folder, or a .csv, .nc, .mat or .npz file, instead of a sweep."
        ),
    ] = None,
    time: rig.Time = None,
    command: rig.Command = None,
    measured: rig.Measured = None,
    spacing: rig.Spacing = None,
    compensator: Annotated[
        str | None,
        typer.Option(
            help="none, keep, forward-prediction, inverse, adaptive-forward-prediction, adaptive-time-series."
        ),
    ] = None,
    robustness: Annotated[
        str | None, typer.Option(help="none, over-compensation, phase-advance, damping, blending.")
    ] = None,
    frequency: Annotated[float | None, typer.Option(help="Highest frequency of the test [Hz].")] = None,
    model_order: Annotated[int | None, typer.Option(help="Poles of the identified model, 0 to 3.")] = None,
    order: Annotated[int | None, typer.Option(help="Order of the predictor, with --window.")] = None,
    window: Annotated[int | None, typer.Option(help="Samples of the predictor, with --order.")] = None,
    tolerance: Annotated[float, typer.Option(help="Largest rms error that is a go; 0.1 is 10 %.")] = 0.1,
    safety: Annotated[float, typer.Option(help="Factor on the uncertainty of the delay.")] = 2.0,
    ask: Annotated[bool, typer.Option("--ask", help="Ask at every decision.")] = False,
    mass: Annotated[
        float | None,
        typer.Option(
            help="For a run or a creep test: mass [kg] that meets the contact; else the model's.", min=0.0
        ),
    ] = None,
) -> None:
    """Identify, compensate, robustify, verify: a plan of the test, and a go or no-go.

    Of a creep test, or of a recorded run: the delay, bandwidth and actuation that a real-time test of its contact
    would need.
    """
    from dovetail.assess import Wishes
    from dovetail.cli.design import design_test

    wishes = Wishes(compensator, robustness, frequency, model_order, order, window, tolerance, safety)
    columns = (time, command, measured, spacing)
    raise typer.Exit(design_test(test, settings or [], out, recording, wishes, ask, mass, columns))


@app.command()
def check(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A test file, or a study's test.")],
    settings: Settings = None,
    parts: Parts = None,
    whole: Annotated[
        bool, typer.Option("--whole", help="Print long arrays whole, as another program would read them.")
    ] = False,
) -> None:
    """Validate a test and print it resolved, every default written out; long arrays are shortened."""
    from dovetail.cli.run import check_test

    check_test(file, settings or [], whole)


@app.command()
def reproduce(
    study: Study = None,
    only: Annotated[
        list[str] | None, typer.Option(metavar="TARGET", help="Only this row: --only RT-17. May be repeated.")
    ] = None,
    as_json: Json = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Compute every row, those of an interrupted table too.")
    ] = False,
) -> None:
    """Compute every published number of a study again, or of all, and say which are met.

    Rows are kept as they come: after an interruption the same command computes the rest.
    """
    from dovetail.cli.reproduce import reproduce

    raise typer.Exit(reproduce(study, only or [], as_json, fresh))


@app.command()
def capabilities(study: Study = None, as_json: Json = False) -> None:
    """What each study must be able to do, and the tests that prove it."""
    from dovetail.cli.list_tests import print_capabilities

    print_capabilities(study, as_json)


@app.command()
def cite(test: TestName, parts: Parts = None) -> None:
    """The literature behind a test, as BibTeX, with a sentence for each entry."""
    from dovetail.cli.list_tests import print_citations

    print_citations(test)


Pdf = Annotated[bool, typer.Option("--pdf", help="Print it to PDF as well, with a browser that is there.")]


@app.command()
def report(
    run: Annotated[Path, typer.Argument(help="Folder that a run or a campaign wrote.")],
    out: Annotated[Path | None, typer.Option(help="File to write; report.html in the folder else.")] = None,
    budget: Annotated[
        bool, typer.Option(help="Rehearse each part of the rig alone, to say where the error comes from.")
    ] = True,
    pdf: Pdf = False,
    interactive: Annotated[
        bool,
        typer.Option(
            "--interactive",
            help="With a script in the page: the run in 3-D, plots to zoom (interactive.html).",
        ),
    ] = False,
) -> None:
    """Write the report on a recorded run or a campaign: one page, complete in itself."""
    from dovetail.cli.report import report

    raise typer.Exit(report(run, out, budget, pdf, interactive))


@app.command()
def compare(
    runs: Annotated[list[Path], typer.Argument(help="Folders that runs wrote, two or more.")],
    out: Annotated[Path | None, typer.Option(help="File to write; comparison.html else.")] = None,
    pdf: Pdf = False,
) -> None:
    """Write one page on several recorded runs side by side."""
    from dovetail.cli.report import compare

    raise typer.Exit(compare(runs, out, pdf))


@app.command()
def view(
    what: Annotated[
        str,
        typer.Argument(metavar="RUN_OR_TEST", help="Folder of a run, over or not, or a test to run first."),
    ],
    host: Annotated[str, typer.Option(help="Where to listen; beyond loopback the address has a token.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option(help="Port to listen on; 0 takes a free one.")] = 8080,
    ghost: Annotated[bool, typer.Option(help="Show the ideal behind the run.")] = True,
    token: Annotated[bool, typer.Option(help="A token in the address on loopback too.")] = False,
    mesh: Meshes = None,
    seconds: Annotated[float | None, typer.Option(help="End by itself after so long.", hidden=True)] = None,
    parts: Parts = None,
) -> None:
    """See a run in the browser: the mechanism in 3-D, played at any speed, with its signals.

    The folder of a run that goes on (run or creep mode) shows it as it moves, with the operator's buttons.
    """
    from dovetail.cli.view import view

    raise typer.Exit(view(what, host, port, seconds, ghost, token, mesh or []))


@app.command()
def studio(
    test: Annotated[
        str | None,
        typer.Argument(metavar="[TEST]", help="A study's test or a file to begin with; else choose there."),
    ] = None,
    port: Annotated[int, typer.Option(help="Port to listen on; 0 takes a free one.")] = 8090,
    browser: Annotated[bool, typer.Option(help="Open the page in the browser.")] = True,
    runs: Annotated[Path, typer.Option(help="Folder that runs are written to and listed from.")] = Path(
        "runs"
    ),
    parts: Parts = None,
) -> None:
    """Have a test under your hands, in the browser: set it up, feel it while sliders move, do it, hand it over."""
    from dovetail.cli.studio import studio

    raise typer.Exit(studio(test, port, browser, runs))


@app.command()
def film(
    given: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN... OUT",
            help="Folders of runs, side by side; then the film: .mp4, .webm, .gif or .webp.",
        ),
    ],
    view: Annotated[str, typer.Option("--camera", help="overview, follow, close-up or side.")] = "overview",
    speed: Annotated[
        float | None, typer.Option(help="Seconds of the run in one of the film; else about 8 s of film.")
    ] = None,
    size: Annotated[str | None, typer.Option(help="Pixels: 1280x720; of a GIF 640x360.")] = None,
    fps: Annotated[float, typer.Option(help="Pictures a second; of a GIF 15 at most.")] = 30.0,
    ideal: Annotated[bool, typer.Option("--ideal", help="Show the ideal beside the run.")] = False,
    mesh: Meshes = None,
    parts: Parts = None,
) -> None:
    """Write a film of a recorded run, or of several side by side, without a screen or a browser."""
    from dovetail.cli.film import film

    raise typer.Exit(film(given, view, speed, size, fps, ideal, mesh or []))


@app.command()
def doctor() -> None:
    """Versions, devices, compiler, real-time permissions; what is missing and how to get it."""
    from dovetail.cli.doctor import examine

    raise typer.Exit(examine())


@app.command()
def demo(
    study: Annotated[
        str, typer.Option(help="refuelling: a robot cell in its own process; substructuring: three delays.")
    ] = "refuelling",
    out: Annotated[Path | None, typer.Option(help="Folder to write.")] = None,
) -> None:
    """Show what Dovetail is for: a drogue struck by a probe, held by robots; results and a report."""
    from dovetail.core.errors import UnknownNameError

    if study == "refuelling":
        from dovetail.cli.refuelling_demo import demonstrate
    elif study == "substructuring":
        from dovetail.cli.delays_demo import demonstrate
    else:
        raise UnknownNameError("demonstration", study, ("refuelling", "substructuring"))
    raise typer.Exit(demonstrate(out))


def main() -> None:
    """Run the command line; what the user can mend is told in a message, not a traceback."""
    gc.set_threshold(*RARELY)
    if "dovetail.core" not in sys.modules:  # nobody has changed what was installed: see core/ready
        os.environ.setdefault("DOVETAIL_READY", "1")
    try:
        code = app(standalone_mode=False)
        if code == INTERRUPTED:  # what typer makes of it
            raise KeyboardInterrupt
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)
    except Exception as error:
        sys.exit(_tell(error))
    finally:
        if folders := sys.modules.get("dovetail.testing.run_folder"):
            folders.forget_unused()
    sys.exit(code or 0)


def _tell(error: Exception) -> int:
    """Print what went wrong, in one message; the exit code."""
    if os.environ.get("DOVETAIL_TRACEBACK"):
        raise error
    show = getattr(error, "show", None)  # what typer says of wrong usage
    if show is not None:
        show()
        return getattr(error, "exit_code", 2)
    from dovetail.core.errors import DovetailError

    if not isinstance(error, DovetailError):
        raise error
    print(f"dovetail: {error}", file=sys.stderr)
    return 2
