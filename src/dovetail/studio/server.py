"""Server of the studio: on loopback, with a key; long computations run in other processes."""

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
RECONNECT_TIMEOUT = 6.0  # [s] for which the state of a disconnected page is stored


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
    port = free_port(port)
    key = stored_key(state, port)
    address = f"http://{HOST}:{port}/?token={key}"
    _set_up(nicegui, test, runs, key, port, state / f"workspace-{port}.json")

    def greet() -> None:
        while True:  # print the address when the server accepts connections
            with contextlib.suppress(OSError), socket.create_connection((HOST, port), 1.0):
                break
            time.sleep(0.02)
        print(f"open      {address}", flush=True)
        print(
            "          anyone with this address (it contains the key) can view and operate; Ctrl-C ends it",
            flush=True,
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
            reconnect_timeout=RECONNECT_TIMEOUT,
            show_welcome_message=False,
            timeout_graceful_shutdown=1,
        )


def _set_up(nicegui: Any, test: str | None, runs: Path, key: str, port: int, memory: Path) -> None:
    """Install access control, pages and startup functions."""
    from dovetail.studio.access import AccessMiddleware
    from dovetail.studio.shell import pages
    from dovetail.studio.workspace import Workspace

    nicegui.app.add_middleware(AccessMiddleware, key=key, port=port)
    workspace = Workspace(runs, test, memory)
    pages(workspace)
    nicegui.app.on_startup(workspace.start)
    nicegui.app.on_shutdown(workspace.stop)


def state_folder() -> Path:
    """Return the studio's folder in the user's state directory."""
    home = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(home) / "dovetail" / "studio"


def free_port(port: int) -> int:
    """Return the port if it is free; for 0, any free port."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            from dovetail.core.errors import OutputError  # imported here: it loads JAX, which slows the start

            raise OutputError(
                f"port {port} is in use, perhaps by another studio; use another port, for example --port {port + 1}"
            ) from error
        return int(probe.getsockname()[1])


def stored_key(state: Path, port: int) -> str:
    """Return the key of the studio at a port; it survives a restart, so that open pages reconnect."""
    file = state / f"key-{port}"
    try:
        state.mkdir(parents=True, exist_ok=True, mode=0o700)
        with contextlib.suppress(FileNotFoundError):
            if key := file.read_text("ascii").strip():
                return key
        key = secrets.token_urlsafe(24)
        with os.fdopen(os.open(file, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "w") as stream:
            stream.write(key)
    except (OSError, UnicodeDecodeError) as error:
        print(
            f"the key of the page is not saved ({error}); after a restart, open the new address",
            file=sys.stderr,
        )
        return secrets.token_urlsafe(24)
    return key
