"""Card of the real machines of a test: address, Arm, what the rig answers, and Start. Everything else only computes."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from nicegui import ui

from dovetail.core.errors import DovetailError
from dovetail.studio.widgets import button, text_element

if TYPE_CHECKING:
    from dovetail.studio.shell import StudioPage

MACHINES = {  # machine of each mode: its name, form of its address, and default address
    "realtime": ("rig", "udp://HOST:PORT", "udp://localhost:7001"),
    "pseudodynamic": ("cell", "tcp://HOST:PORT", "tcp://localhost:7002"),
}


class RigCard:
    """Content of the card: a row for a rig, one for a robot cell, and the armed test below."""

    def __init__(self, page: StudioPage):
        self.page, self.workspace = page, page.workspace
        self.fields: dict[str, Any] = {}  # of the addresses, by mode
        text_element("p", "Arm reads the rig and moves nothing. Start moves it.", "quiet small")
        for mode, (machine, form, _) in MACHINES.items():
            with ui.element("div").classes("line").style("margin-top: 10px"):
                field: Any = ui.input(f"Address of the {machine}, {form}", value=self._address(mode))
                field.props(f"outlined dense data-field={machine}").classes("needs-control grow")
                self.fields[mode] = field
                button(f"Arm {machine}", lambda mode=mode: self._arm(mode))
        self.key: Any = ui.input("Key file (if required)").props("outlined dense data-field=key")
        self.key.classes("needs-control").style("margin-top: 10px")
        self.state = text_element("p", "").props("id=rig-state role=status")
        self.armed = ui.element("div").props("id=armed")
        self.shown: Any = None  # armed test and rigs in use on the page

    def _address(self, mode: str) -> str:
        """Return the address that all pages offer: the last one used here, in a run, or that of a served rig."""
        jobs = self.workspace.jobs
        return self.workspace.addresses.get(mode) or jobs.last_address(mode) or MACHINES[mode][2]

    async def _arm(self, mode: str) -> None:
        from dovetail.app import Action

        if not self.page.check_control():
            return
        address, document = str(self.fields[mode].value).strip(), self.workspace.document
        self._show_state(f"Reading {address}. Nothing moves.")
        self.workspace.addresses[mode] = address
        action = Action(mode, document, address=address or None, key=str(self.key.value or "") or None)
        fault = "" if address else f"the address of the {MACHINES[mode][0]} is missing"
        try:
            if not fault:
                await asyncio.to_thread(self.workspace.arming.arm, action, self.page.user)
        except (DovetailError, OSError) as error:
            fault = str(error)
        self.shown = None  # also after a fault
        self.workspace.notify("rig")
        if fault:
            self._show_state(f"Not armed: {fault}.", bad=True)
        else:
            ui.run_javascript("document.querySelector('#armed').scrollIntoView({ block: 'nearest' })")

    def refresh(self) -> None:
        """Show the armed test, the rig in use, or that nothing is armed."""
        for mode, field in self.fields.items():
            if mode in self.workspace.addresses:
                field.value = self.workspace.addresses[mode]
        armed = self.workspace.arming.armed
        used = [self.workspace.jobs.rig_in_use(str(field.value)) for field in self.fields.values()]
        if (armed, used) == self.shown:
            return
        self.shown = (armed, used)
        self.armed.clear()
        if armed is None:
            self._show_state("; ".join(filter(None, used)) or "Nothing is armed.")
            return
        self._show_state(f"Armed by {armed.user}. The rig is at rest until Start.")
        reading, machine = armed.reading, MACHINES[armed.action.name][0]
        rows = {
            "Test": armed.action.document.title,
            machine.capitalize(): f"{reading.name}, {armed.action.address}",
            "Link": reading.link,
            "Position": reading.position,
            "Start of the test": reading.start,
            "Motion to the start": reading.approach,
        }
        with self.armed:
            with ui.element("table").classes("checks"):
                for name, text in rows.items():
                    with ui.element("tr"):
                        text_element("th", name).props("scope=row")
                        tone = "caution" if name == "Link" and reading.is_slow else ""
                        text_element("td", text, tone).props("colspan=2")
                with ui.element("tr"):
                    for name in ("Limit", "of the test", f"of the {machine}"):
                        text_element("th", name).props("scope=col")
                for name, *limits in reading.limits:
                    with ui.element("tr"):
                        text_element("th", name).props("scope=row")
                        for limit in limits:
                            text_element("td", limit, "caution" if limit == "none" else "number")
            with ui.element("div").classes("line"):
                title = "Start real-time test" if machine == "rig" else "Start pseudo-dynamic test"
                button(title, self._start).classes("stop", remove="plain")
                button("Disarm", self._disarm)

    def _start(self) -> None:
        if not self.page.check_control():
            return
        try:
            self.workspace.arming.start(self.page.user)
        except (DovetailError, OSError) as error:
            self.page.show_message(str(error), bad=True)
        self.workspace.notify("rig")
        self.workspace.notify("jobs")

    def _disarm(self) -> None:
        self.workspace.arming.disarm()
        self.workspace.notify("rig")

    def _show_state(self, text: str, bad: bool = False) -> None:
        self.state.text = text
        self.state.classes(replace="bad" if bad else "")
