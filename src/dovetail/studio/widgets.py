"""Page elements: text in a tag, cards, buttons."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement


def text_element(tag: str, text: str, classes: str = "") -> TextElement:
    """Return text in an HTML tag; markup in the text is escaped."""
    return TextElement(tag=tag, text=text).classes(classes)


def section(heading: str = "", name: str = "") -> Any:
    """Return a card with a heading, for a `with` statement."""
    card = ui.element("section").classes("card")
    if name:
        card.props(f"id={name}")
    if heading:
        with card:
            text_element("h2", heading)
    return card


def button(
    text: str, act: Callable[..., Any], strong: bool = False, needs_control: bool = True, name: str = ""
) -> Any:
    """Return a button; `needs_control` limits it to the user with control."""
    element = ui.button(text, on_click=act, color=None).props("flat dense padding='3px 12px'")
    element.classes("strong" if strong else "plain")
    if needs_control:
        element.classes("needs-control")
    if name:
        element.props(f"id={name}")
    return element


def clickable(element: Any, act: Callable[[], Any]) -> Any:
    """Make an element act like a button: by click, Enter and Space."""
    for event in ("click", "keydown.enter", "keydown.space.prevent"):
        element.on(event, lambda: act())
    return element.props("tabindex=0 role=button")
