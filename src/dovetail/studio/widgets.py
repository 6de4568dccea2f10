"""Small pieces of a page: words in a tag, cards, buttons."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement


def words(tag: str, text: str, classes: str = "") -> TextElement:
    """Text in a tag of its own; markup in it is shown as text."""
    return TextElement(tag=tag, text=text).classes(classes)


def section(heading: str = "", name: str = "") -> Any:
    """A card with a heading, for a `with` statement."""
    card = ui.element("section").classes("card")
    if name:
        card.props(f"id={name}")
    if heading:
        with card:
            words("h2", heading)
    return card


def button(
    text: str, act: Callable[..., Any], strong: bool = False, mine: bool = True, name: str = ""
) -> Any:
    """A button; `mine` are those that only who holds the controls may press."""
    made = ui.button(text, on_click=act, color=None).props("flat dense padding='3px 12px'")
    made.classes("strong" if strong else "plain")
    if mine:
        made.classes("mine")
    if name:
        made.props(f"id={name}")
    return made
