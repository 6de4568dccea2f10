"""Bond graphs: the state equations of the simple cases, and causality."""

import math

import numpy as np
import pytest

from dovetail.core.errors import AnalysisError, ParameterError, UnknownNameError
from dovetail.core.linear import linearise
from dovetail.mechanics import BondGraph, Node, Oscillator

M, C, K = 2.2, 15.0, 2250.0


def one_mass():
    """CS1: wall, spring and damper side by side (a 1 junction of their common velocity), mass, port."""
    return BondGraph(
        {
            "wall": Node("Sf"),
            "support": Node("0"),
            "stretch": Node("1"),
            "spring": Node("C", 1 / K),
            "damper": Node("R", C),
            "motion": Node("1"),
            "mass": Node("I", M),
            "force": Node("Se"),
        },
        (
            ("wall", "support"),
            ("support", "stretch"),
            ("stretch", "spring"),
            ("stretch", "damper"),
            ("support", "motion"),
            ("motion", "mass"),
            ("force", "motion"),
        ),
    )


def test_one_mass_has_the_equations_written_by_hand():
    """Momentum p = m v and stretch q = r - z: p' = k q + c (r' - v) + F, q' = r' - v."""
    found = one_mass().equations()
    assert (found.states, found.inputs) == (("spring", "mass"), ("wall", "force"))
    np.testing.assert_allclose(found.A, [[0, -1 / M], [K, -C / M]])
    np.testing.assert_allclose(found.B, [[1, 0], [C, 1]])


def test_one_mass_has_the_velocity_response_of_the_oscillator():
    found = one_mass().equations()
    oscillator = Oscillator(m=M, c=C, k=K)
    u = {"excitation": 0.0, "excitation_rate": 0.0, "force": 0.0}
    linear = linearise(oscillator, oscillator.init(), u)
    row = found.flow["mass"]
    for w in (2.0, 18.0, 45.0):
        graph = row[:2] @ np.linalg.solve(1j * w * np.eye(2) - found.A, found.B) + row[2:]
        wall = linear.frequency_response(w, "velocity", "excitation") / (1j * w)
        wall = wall + linear.frequency_response(w, "velocity", "excitation_rate")
        np.testing.assert_allclose(graph[0], wall, rtol=1e-10)
        np.testing.assert_allclose(graph[1], linear.frequency_response(w, "velocity", "force"), rtol=1e-10)


def test_the_wall_feels_the_spring_and_the_damper():
    """Effort at the wall's port: k q + c (r' - v), the reaction that a moving support must supply."""
    effort = one_mass().equations().effort["wall"]
    np.testing.assert_allclose(effort, [K, -C / M, C, 0.0])


def three_masses():
    """CS2 as a whole: wall - mass - middle - mass - wall."""
    nodes, bonds = {"middle": Node("1"), "m3": Node("I", M)}, [("middle", "m3")]
    for i in ("1", "2"):
        nodes |= {f"motion{i}": Node("1"), f"m{i}": Node("I", M)}
        bonds.append((f"motion{i}", f"m{i}"))
        for link, (a, b) in {
            f"outer{i}": (f"wall{i}", f"motion{i}"),
            f"inner{i}": (f"motion{i}", "middle"),
        }.items():
            nodes |= {link: Node("0"), f"{link}.stretch": Node("1")}
            nodes |= {f"{link}.k": Node("C", 1 / 4750.0), f"{link}.c": Node("R", 6.0)}
            bonds += [(a, link), (link, b), (link, f"{link}.stretch")]
            bonds += [(f"{link}.stretch", f"{link}.k"), (f"{link}.stretch", f"{link}.c")]
        nodes[f"wall{i}"] = Node("Sf")
    return BondGraph(nodes, tuple(bonds))


def test_three_masses_have_their_modes():
    """Four stretches and three momenta: three pairs at (k/m)(2 -+ sqrt 2, 2), one fixed stretch."""
    values = np.linalg.eigvals(three_masses().equations().A)
    pairs = np.sort(np.abs(values[values.imag > 1e-6]))
    by_hand = np.sqrt(4750.0 / M * np.array([2 - math.sqrt(2), 2, 2 + math.sqrt(2)]))
    np.testing.assert_allclose(pairs, by_hand, rtol=1e-9)
    assert np.sum(np.abs(values) < 1e-6) == 1


def test_rigidly_coupled_masses_are_reported():
    graph = BondGraph(
        {"j": Node("1"), "m": Node("I", 1.0), "n": Node("I", 2.0), "F": Node("Se")},
        (("F", "j"), ("j", "m"), ("j", "n")),
    )
    with pytest.raises(AnalysisError, match="derivative causality"):
        graph.equations()


def test_faults_of_a_graph_are_reported():
    with pytest.raises(UnknownNameError, match="X"):
        BondGraph({"a": Node("X")}, ())
    with pytest.raises(UnknownNameError, match="b"):
        BondGraph({"a": Node("1")}, (("a", "b"),))
    with pytest.raises(ParameterError, match=r"BondGraph\.m: value 0; must be above 0"):
        BondGraph({"m": Node("I"), "j": Node("1")}, (("j", "m"),))
    with pytest.raises(ParameterError, match=r"BondGraph\.F: needs exactly one bond"):
        BondGraph({"F": Node("Se"), "j": Node("1")}, (("j", "F"),))
