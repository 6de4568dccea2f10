"""Command line: options and help of every command. Each command imports what it needs, so `--help` starts fast."""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from dovetail import __version__
from dovetail.cli import rig
from dovetail.cli.rig import Argument, Option, OutFolder, Parts, Settings, TestName

# thresholds of the garbage collector: imports and traces live until the command ends, so collection is rare
GC_THRESHOLDS = (50_000, 20, 20)
INTERRUPTED = 130  # exit code after Ctrl-C

app = typer.Typer(
    name="dovetail",
    help="Design, simulate and run hybrid tests (RTHS, hardware in the loop, pseudo-dynamic).",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

app.add_typer(rig.app, name="rig")

Study = Annotated[str | None, Argument(help="Limit to one study.")]
Json = Annotated[bool, Option("--json", help="Print JSON.")]
Meshes = Annotated[
    list[str] | None,
    Option(
        "--mesh",
        metavar="PART=FILE",
        help="Replace a drawn body by a mesh (STL, OBJ, glTF), for example aircraft=heli.stl@mm.",
    ),
]


@app.callback(invoke_without_command=True)
def _version(
    version: Annotated[bool, Option("--version", help="Print the version and exit.", is_eager=True)] = False,
) -> None:
    if version:
        print(f"dovetail {__version__}")
        raise typer.Exit


@app.command("list")
def list_() -> None:
    """List studies, tests and campaigns."""
    from dovetail.cli.list_tests import print_studies

    print_studies()


@app.command()
def parts(
    kind: Annotated[
        str | None, Argument(metavar="KIND", help="Kind (second-order-lag) or family (Specimen).")
    ] = None,
    user_parts: Parts = None,
) -> None:
    """List components for test files, or show one with its parameters."""
    from dovetail.cli.parts import print_parts

    print_parts(kind)


@app.command()
def new(
    template: Annotated[str, Argument(metavar="TEMPLATE", help="Template: part, test or study.")],
    name: Annotated[
        str, Argument(metavar="NAME", help="Name of the new file or folder, for example my_damper.")
    ],
) -> None:
    """Write template files for a part, a test or a study."""
    from dovetail.cli.new import write_templates

    write_templates(template, name)


@app.command()
def run(
    test: TestName,
    mode: Annotated[
        str | None,
        Option(
            help="reference, rehearse, realtime, pseudodynamic or replay (default: rehearse; a simulation has no "
            "mode)."
        ),
    ] = None,
    settings: Settings = None,
    parts: Parts = None,
    out: OutFolder = None,
    recording: Annotated[Path | None, Option(help="Replay: folder of the recorded run.")] = None,
    address: Annotated[
        str | None,
        Option(
            help="Address of the rig (udp://HOST:PORT, realtime) or robot cell (tcp://HOST:PORT, pseudodynamic)."
        ),
    ] = None,
    key: rig.Key = None,
    resume: Annotated[
        Path | None, Option(help="Pseudodynamic: continue the run in this folder.", metavar="DIR")
    ] = None,
    report: Annotated[bool, Option(help="Write an HTML report (default: yes).")] = True,
    live: Annotated[
        bool, Option(help="Allow `dovetail view FOLDER` to watch and operate the run (default: yes).")
    ] = True,
) -> None:
    """Run a test or a simulation and write its run folder."""
    from dovetail.cli.run import run_test

    raise typer.Exit(run_test(test, mode, settings or [], out, recording, report, address, key, resume, live))


@app.command()
def campaign(
    file: Annotated[str, Argument(metavar="FILE", help="Campaign file, or campaign of a study.")],
    settings: Settings = None,
    parts: Parts = None,
    out: OutFolder = None,
    resume: Annotated[
        Path | None,
        Option(help="Continue the campaign in this folder: compute missing points only.", metavar="DIR"),
    ] = None,
    workers: Annotated[
        int, Option(help="Number of local worker processes (default: 0, threads of this process).", min=0)
    ] = 0,
    cluster: Annotated[str | None, Option(help="Scheduler of a dask cluster, tcp://HOST:PORT.")] = None,
    analyse_only: Annotated[
        bool,
        Option(
            "--analyse-only",
            help="Compute no points; repeat the analyses of FILE on the results in --out.",
        ),
    ] = False,
) -> None:
    """Run a parameter study over one test and analyse it."""
    from dovetail.cli.campaign import run_campaign

    raise typer.Exit(run_campaign(file, settings or [], out, resume, workers, cluster, analyse_only))


@app.command()
def design(
    test: Annotated[str, Argument(metavar="TEST_OR_RUN", help="Test of a study, test file, or run folder.")],
    settings: Settings = None,
    parts: Parts = None,
    out: OutFolder = None,
    recording: Annotated[
        Path | None,
        Option(
            help="Identify from a run folder or a .csv, .nc, .mat or .npz file (default: simulated sweep)."
        ),
    ] = None,
    time_column: rig.TimeColumn = None,
    command_column: rig.CommandColumn = None,
    measured_column: rig.MeasuredColumn = None,
    sample_time: rig.SampleTime = None,
    compensator: Annotated[
        str | None,
        Option(
            help="none, keep, forward-prediction, inverse, adaptive-forward-prediction or adaptive-time-series "
            "(default: best candidate)."
        ),
    ] = None,
    robustness: Annotated[
        str | None,
        Option(help="none, over-compensation, phase-advance, damping or blending (default: best candidate)."),
    ] = None,
    max_frequency: rig.MaxFrequency = None,
    model_order: rig.ModelOrder = None,
    predictor_order: Annotated[
        int | None, Option(help="Polynomial order of the predictor (with --predictor-window).")
    ] = None,
    predictor_window: Annotated[
        int | None, Option(help="Number of samples of the predictor (with --predictor-order).")
    ] = None,
    max_error: Annotated[
        float | None, Option(help="Largest error for a go (fraction; default: [accept]).")
    ] = None,
    safety_factor: Annotated[float, Option(help="Factor on the delay uncertainty (default: 2).")] = 2.0,
    ask: Annotated[bool, Option("--ask", help="Ask before each decision.")] = False,
    contact_mass: Annotated[
        float | None, Option(help="Mass that meets the contact (kg; default: from the model).", min=0.0)
    ] = None,
) -> None:
    """Design a test: identify, compensate, robustify, verify; ends with go or no-go.

    For a pseudo-dynamic test or a recorded run: print what a real-time test of the same contact requires of the rig.
    """
    from dovetail.assess import DesignOptions
    from dovetail.cli.design import design_test

    design_options = DesignOptions(
        compensator,
        robustness,
        max_frequency,
        model_order,
        predictor_order,
        predictor_window,
        max_error,
        safety_factor,
    )
    columns = (time_column, command_column, measured_column, sample_time)
    raise typer.Exit(
        design_test(test, settings or [], out, recording, design_options, ask, contact_mass, columns)
    )


@app.command()
def check(
    test: TestName,
    settings: Settings = None,
    parts: Parts = None,
    full: Annotated[bool, Option("--full", help="Print long arrays in full.")] = False,
) -> None:
    """Validate a test file and print the resolved test."""
    from dovetail.cli.run import check_test

    check_test(test, settings or [], full)


@app.command()
def reproduce(
    study: Study = None,
    target: Annotated[
        list[str] | None,
        Option(metavar="TARGET", help="Compute this target only, for example RT-17. Repeatable."),
    ] = None,
    as_json: Json = False,
    recompute: Annotated[bool, Option("--recompute", help="Ignore cached results.")] = False,
) -> None:
    """Recompute the published results of a study and compare them with their targets.

    Results are cached. After an interruption, the same command computes only the remaining targets.
    """
    from dovetail.cli.reproduce import reproduce

    raise typer.Exit(reproduce(study, target or [], as_json, recompute))


@app.command(hidden=True)
def capabilities(study: Study = None, as_json: Json = False) -> None:
    """List the required capabilities and the tests that verify them."""
    from dovetail.cli.list_tests import print_capabilities

    print_capabilities(study, as_json)


@app.command()
def cite(test: TestName, parts: Parts = None) -> None:
    """Print the references of a test as BibTeX."""
    from dovetail.cli.list_tests import print_citations

    print_citations(test)


Pdf = Annotated[bool, Option("--pdf", help="Also write a PDF (needs Chrome or Chromium).")]


@app.command()
def report(
    run: Annotated[Path, Argument(help="Run folder or campaign folder.")],
    out: Annotated[Path | None, Option(help="Output file (default: report.html in the run folder).")] = None,
    error_budget: Annotated[
        bool, Option(help="Simulate each rig component alone to attribute the error (default: yes).")
    ] = True,
    pdf: Pdf = False,
    interactive: Annotated[
        bool,
        Option(
            "--interactive",
            help="Also write a page with 3-D playback and zoomable plots (interactive.html).",
        ),
    ] = False,
) -> None:
    """Write the HTML report of a run or a campaign (one self-contained file)."""
    from dovetail.cli.report import report

    raise typer.Exit(report(run, out, error_budget, pdf, interactive))


@app.command()
def compare(
    runs: Annotated[list[Path], Argument(help="Two or more run folders.")],
    out: Annotated[Path | None, Option(help="Output file (default: comparison.html).")] = None,
    pdf: Pdf = False,
) -> None:
    """Write one HTML report that compares two or more runs."""
    from dovetail.cli.report import compare

    raise typer.Exit(compare(runs, out, pdf))


@app.command()
def view(
    source: Annotated[str, Argument(metavar="RUN_OR_TEST", help="Run folder, or a test to run first.")],
    host: rig.Host = "127.0.0.1",
    port: Annotated[int, Option(help="Port (0: any free port; default: 8080).")] = 8080,
    reference: Annotated[bool, Option(help="Show the reference solution (default: yes).")] = True,
    token: Annotated[bool, Option(help="Require a token on this machine too (default: no).")] = False,
    mesh: Meshes = None,
    duration: Annotated[float | None, Option(help="Stop after this time (s).", hidden=True)] = None,
    parts: Parts = None,
) -> None:
    """Show a run in 3-D in the browser, recorded or while it runs."""
    from dovetail.cli.view import view

    raise typer.Exit(view(source, host, port, duration, reference, token, mesh or []))


@app.command()
def studio(
    test: Annotated[
        str | None, Argument(metavar="[TEST]", help="Test to open (default: choose in the studio).")
    ] = None,
    port: Annotated[int, Option(help="Port (0: any free port; default: 8090).")] = 8090,
    browser: Annotated[bool, Option(help="Open the page in the browser (default: yes).")] = True,
    runs_folder: Annotated[Path, Option(help="Folder for runs (default: runs).")] = Path("runs"),
    parts: Parts = None,
) -> None:
    """Open the studio: edit a test, explore it with sliders, run it, export it."""
    from dovetail.cli.studio import studio

    raise typer.Exit(studio(test, port, browser, runs_folder))


@app.command()
def film(
    paths: Annotated[
        list[Path],
        Argument(
            metavar="RUN... OUT",
            help="One or more run folders, then the video file (.mp4, .webm, .gif, .webp).",
        ),
    ],
    camera: Annotated[
        str, Option(help="overview, follow, close-up or side (default: overview).")
    ] = "overview",
    speed: Annotated[
        float | None,
        Option(help="Playback speed, simulated seconds per second of video (default: about 8 s of video)."),
    ] = None,
    size: Annotated[
        str | None, Option(help="Width x height in pixels (default: 1280x720; GIF 640x360).")
    ] = None,
    fps: Annotated[float, Option(help="Frames per second (default: 30; GIF at most 15).")] = 30.0,
    reference: Annotated[bool, Option(help="Show the reference solution (default: no).")] = False,
    mesh: Meshes = None,
    parts: Parts = None,
) -> None:
    """Write a video of one or more recorded runs, side by side."""
    from dovetail.cli.film import film

    raise typer.Exit(film(paths, camera, speed, size, fps, reference, mesh or []))


@app.command()
def doctor() -> None:
    """Show versions, devices, compiler and real-time permissions, and what is missing."""
    from dovetail.cli.doctor import print_system

    raise typer.Exit(print_system())


@app.command()
def demo(
    study: Annotated[
        str,
        Option(help="refuelling (with a robot cell) or substructuring (three delays) (default: refuelling)."),
    ] = "refuelling",
    out: OutFolder = None,
) -> None:
    """Run a demonstration and write its results and report."""
    from dovetail.core.errors import UnknownNameError

    if study == "refuelling":
        from dovetail.cli.refuelling_demo import demonstrate
    elif study == "substructuring":
        from dovetail.cli.delays_demo import demonstrate
    else:
        raise UnknownNameError("demonstration", study, ("refuelling", "substructuring"))
    raise typer.Exit(demonstrate(out))


def main() -> None:
    """Run the command line. Errors of the user are printed as one message, without a traceback."""
    gc.set_threshold(*GC_THRESHOLDS)
    os.environ.setdefault("DOVETAIL_PROCESS", "1")  # cache of programs and guard of memory: see core/programs
    try:
        code = app(standalone_mode=False)
        if code == INTERRUPTED:  # typer turns the interrupt into this code
            raise KeyboardInterrupt
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)
    except Exception as error:
        sys.exit(_print_error(error))
    finally:
        if folders := sys.modules.get("dovetail.testing.run_folder"):
            folders.forget_unused()
    sys.exit(code or 0)


def _print_error(error: Exception) -> int:
    """Print an error in one message and return the exit code."""
    if os.environ.get("DOVETAIL_TRACEBACK"):
        raise error
    show = getattr(error, "show", None)  # usage errors of typer
    if show is not None:
        show()
        return getattr(error, "exit_code", 2)
    from dovetail.core.errors import DovetailError

    if not isinstance(error, DovetailError):
        raise error
    print(f"dovetail: {error}", file=sys.stderr)
    return 2
