r"""Bond graphs of linear mechanical systems, converted to state equations.

Every bond carries an effort (force) and a flow (velocity), whose product is the power along its half
arrow. Elements sit at the end of one bond:

======  =========================  ==================================================
``I``   mass                       :math:`f = p/I`, momentum p with :math:`\dot p = e`
``C``   spring (compliance 1/k)    :math:`e = q/C`, stretch q with :math:`\dot q = f`
``R``   damper                     :math:`e = R f`
``Se``  force source               e is given
``Sf``  velocity source            f is given
======  =========================  ==================================================

A ``1`` junction joins bonds of common flow whose efforts sum to zero. A ``0`` junction joins bonds of common
effort whose flows sum to zero. There are as many linear equations as efforts and flows. Their solution for
given momenta, stretches and sources is

.. math:: \dot x = A x + B u

If there is no solution, storage elements are coupled rigidly to each other or to a source of the same
variable (derivative causality). The model is then improper, and `AnalysisError` is raised
[Wallace 2006, sec. 2.4; Gawthrop, Wallace and Wagg 2005]. Use bond graphs for small systems, to check a model
independently or to read off relative degrees; a test runs a `Substructure`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dovetail.core.errors import AnalysisError, ParameterError, UnknownNameError

STORES, SOURCES, JUNCTIONS = ("I", "C"), ("Se", "Sf"), ("0", "1")
KINDS = (*STORES, "R", *SOURCES, *JUNCTIONS)


class Node(NamedTuple):
    """An element with its value, or a junction."""

    kind: str
    value: float = 0.0  # I [kg], C [m/N] or R [N s/m]


@dataclass(frozen=True)
class Equations:
    """State equations; states are the momentum of each I [N s] and the stretch of each C [m]."""

    A: np.ndarray
    B: np.ndarray
    states: tuple[str, ...]  # names of the storage elements
    inputs: tuple[str, ...]  # names of the sources
    flow: dict[str, np.ndarray]  # of each element or source: row over (states, inputs)
    effort: dict[str, np.ndarray]


@dataclass(frozen=True)
class BondGraph:
    """Named elements and junctions, and the bonds between them.

    Bonds are pairs of names, from tail to half arrow; half arrows point into I, C and R, away from sources.

    Examples
    --------
    A mass that a force pushes against a damper:

    >>> graph = BondGraph(
    ...     {"mass": Node("I", 2.0), "damper": Node("R", 4.0), "force": Node("Se"), "motion": Node("1")},
    ...     (("force", "motion"), ("motion", "mass"), ("motion", "damper")),
    ... )
    >>> graph.equations().A
    array([[-2.]])
    """

    nodes: dict[str, Node]
    bonds: tuple[tuple[str, str], ...]

    def __post_init__(self) -> None:
        for name, node in self.nodes.items():
            if node.kind not in KINDS:
                raise UnknownNameError("bond-graph element", node.kind, KINDS)
            if node.kind in (*STORES, "R") and not node.value > 0:
                raise ParameterError(
                    f"BondGraph.{name}: value {node.value:g}; must be above 0 (kg, m/N or N s/m)"
                )
        for bond in self.bonds:
            for end in bond:
                if end not in self.nodes:
                    raise UnknownNameError("bond-graph node", end, self.nodes)
        for name, node in self.nodes.items():
            if node.kind in JUNCTIONS:
                continue
            at = [bond for bond in self.bonds if name in bond]
            side = 0 if node.kind in SOURCES else 1
            if len(at) != 1 or at[0][side] != name:
                way = "away from" if node.kind in SOURCES else "into"
                raise ParameterError(
                    f"BondGraph.{name}: needs exactly one bond, with its half arrow {way} it"
                )

    def equations(self) -> Equations:
        """Return the state equations: solve for all efforts and flows, collect the rates of momenta and stretches."""
        states = tuple(name for name, node in self.nodes.items() if node.kind in STORES)
        inputs = tuple(name for name, node in self.nodes.items() if node.kind in SOURCES)
        count, known = len(self.bonds), (*states, *inputs)
        rows, right = [], []

        def equation(terms: list[tuple[int, float]], given: dict[str, float] | None = None) -> None:
            row, side = np.zeros(2 * count), np.zeros(len(known))
            for place, factor in terms:
                row[place] += factor
            for name, factor in (given or {}).items():
                side[known.index(name)] = factor
            rows.append(row)
            right.append(side)

        for name, (kind, value) in self.nodes.items():
            at = [(i, 1.0 if bond[1] == name else -1.0) for i, bond in enumerate(self.bonds) if name in bond]
            i = at[0][0] if at else 0
            e, f = i, count + i
            match kind:
                case "I":
                    equation([(f, 1.0)], {name: 1 / value})
                case "C":
                    equation([(e, 1.0)], {name: 1 / value})
                case "R":
                    equation([(e, 1.0), (f, -value)])
                case "Se":
                    equation([(e, 1.0)], {name: 1.0})
                case "Sf":
                    equation([(f, 1.0)], {name: 1.0})
                case _:
                    common, summed = (0, count) if kind == "0" else (count, 0)
                    for j, _ in at[1:]:
                        equation([(common + i, 1.0), (common + j, -1.0)])
                    equation([(summed + j, sign) for j, sign in at])

        solved = _solved(np.array(rows), np.array(right))
        place = {
            name: next(i for i, bond in enumerate(self.bonds) if name in bond)
            for name, node in self.nodes.items()
            if node.kind not in JUNCTIONS
        }
        effort = {name: solved[i] for name, i in place.items()}
        flow = {name: solved[count + i] for name, i in place.items()}
        rates = np.array([effort[s] if self.nodes[s].kind == "I" else flow[s] for s in states])
        rates = rates.reshape(len(states), len(known))
        return Equations(rates[:, : len(states)], rates[:, len(states) :], states, inputs, flow, effort)


def _solved(matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return efforts and flows per unit of each state and input."""
    scale = np.abs(matrix).max(
        axis=1, keepdims=True
    )  # row scaling, so that a stiff damper does not dominate the rank test
    if np.linalg.matrix_rank(matrix / scale) < len(matrix):
        raise AnalysisError(
            "BondGraph: efforts and flows do not follow from the states: two masses, two springs or a source "
            "and a storage element are coupled rigidly (derivative causality); merge them into one element, or "
            "put a compliance or a damper between them"
        )
    return np.linalg.solve(matrix / scale, right / scale)
