"""The studio without its pages: a test under edit, what it would do while a value moves, work in other processes.

Depends on: core, report, studies, testing, cli. Pages build on it (`docs/design/studio.md`); it knows nothing of them.
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.studio.blocks import Block, Choice, Value
    from dovetail.studio.document import Document
    from dovetail.studio.drafts import Drafts
    from dovetail.studio.holding import Holding

lazily(__name__)


__all__ = ["Block", "Choice", "Document", "Drafts", "Holding", "Value"]
