"""The server of the page: on loopback, with a key, in one process that computes nothing that takes long."""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
import sys
import threading
import time
import webbrowser
from pathlib import Path
from typing import Any

HOST = "127.0.0.1"
WAIT = 6.0  # [s] that a page which lost its connection is kept for


def serve(test: str | None, port: int, browser: bool, runs: Path) -> None:
    """Serve the studio until interrupted."""
    state = state_folder()
    os.environ.setdefault("NICEGUI_STORAGE_PATH", str(state / "pages"))
    try:
        import nicegui
    except ModuleNotFoundError as error:
        from dovetail.view.browser import MissingViewer

        raise MissingViewer(
            "the studio needs NiceGUI, which is not installed; install it with: pip install 'dovetail-hybrid[studio]'"
        ) from error
    port = free(port)
    key = kept_key(state, port)
    address = f"http://{HOST}:{port}/?token={key}"
    _set_up(nicegui, test, runs, key, port, state / f"desk-{port}.json")

    def greet() -> None:
        while True:  # the address is told when somebody listens there
            with contextlib.suppress(OSError), socket.create_connection((HOST, port), 1.0):
                break
            time.sleep(0.02)
        print(f"open      {address}", flush=True)
        print(
            "          whoever has this address, key and all, may look and press; Ctrl-C ends it", flush=True
        )
        if browser:
            webbrowser.open(address)

    threading.Thread(target=greet, daemon=True).start()
    from dovetail.studio.theme import FAVICON

    with contextlib.suppress(KeyboardInterrupt):
        nicegui.ui.run(
            host=HOST,
            port=port,
            title="Dovetail studio",
            favicon=FAVICON,
            dark=None,
            language="en-US",
            reload=False,
            show=False,
            tailwind=False,
            storage_secret=key,
            reconnect_timeout=WAIT,
            show_welcome_message=False,
            timeout_graceful_shutdown=1,
        )


def _set_up(nicegui: Any, test: str | None, runs: Path, key: str, port: int, memory: Path) -> None:
    """The door, and the pages behind it."""
    from dovetail.studio.access import Door
    from dovetail.studio.shell import pages
    from dovetail.studio.workspace import Desk

    nicegui.app.add_middleware(Door, key=key, port=port)
    desk = Desk(runs, test, memory)
    pages(desk)
    nicegui.app.on_startup(desk.begin)
    nicegui.app.on_shutdown(desk.end)


def state_folder() -> Path:
    """The studio's place among what this user's programs remember."""
    home = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(home) / "dovetail" / "studio"


def free(port: int) -> int:
    """The port, if nobody listens there; for 0 one that is free."""
    with socket.socket() as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((HOST, port))
        except OSError as error:
            from dovetail.core.errors import OutputError  # not above: it brings JAX, for which no page waits

            raise OutputError(
                f"port {port} is taken; is a studio open there already? For another: --port {port + 1}"
            ) from error
        return int(trial.getsockname()[1])


def kept_key(state: Path, port: int) -> str:
    """The key of the studio at a port: the same after a restart, so that a page that is open finds back."""
    file = state / f"key-{port}"
    try:
        state.mkdir(parents=True, exist_ok=True, mode=0o700)
        with contextlib.suppress(FileNotFoundError):
            if key := file.read_text("ascii").strip():
                return key
        key = secrets.token_urlsafe(24)
        with os.fdopen(os.open(file, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "w") as writing:
            writing.write(key)
    except (OSError, UnicodeDecodeError) as error:
        print(
            f"the key of the page is not kept ({error}); a restart asks for the new address", file=sys.stderr
        )
        return secrets.token_urlsafe(24)
    return key
