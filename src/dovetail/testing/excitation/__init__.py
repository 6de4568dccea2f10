"""Excitations of a test: functions of time.

Depends on: core.
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.testing.excitation.base import Excitation
    from dovetail.testing.excitation.earthquake import GroundMotion, GroundRecord, KanaiTajimi
    from dovetail.testing.excitation.fade_in import FadeIn
    from dovetail.testing.excitation.noise import WhiteNoiseExcitation
    from dovetail.testing.excitation.per_axis import PerAxis
    from dovetail.testing.excitation.pulse import Pulse
    from dovetail.testing.excitation.record_file import read_record
    from dovetail.testing.excitation.sine import Sine, SumOfSines
    from dovetail.testing.excitation.step import Step
    from dovetail.testing.excitation.sweep import Sweep
    from dovetail.testing.excitation.table import Table
    from dovetail.testing.excitation.zero import Zero

lazily(__name__)


__all__ = [
    "Excitation",
    "FadeIn",
    "GroundMotion",
    "GroundRecord",
    "KanaiTajimi",
    "PerAxis",
    "Pulse",
    "Sine",
    "Step",
    "SumOfSines",
    "Sweep",
    "Table",
    "WhiteNoiseExcitation",
    "Zero",
    "read_record",
]
