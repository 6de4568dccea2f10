import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import RK4, Block, Flow, Sampled, parameter, signals
from dovetail.core.connection import Diagram, Node, Wire
from dovetail.core.errors import ConnectionFault, UnknownNameError


class Mass(Flow):
    def init(self):
        return jnp.zeros(2)

    def derivative(self, t, x, u):
        return jnp.stack([x[1], u["force"]])

    def output(self, t, x, u):
        return {"displacement": x[0], "velocity": x[1]}


class Spring(Block):
    k: jax.Array = parameter("N/m", "stiffness", default=4.0)

    def init(self):
        return ()

    def step(self, t, dt, x, u):
        return x, {"force": 1.0 - self.k * u["displacement"]}


class Late(Block):
    """Shows what it was given one step before."""

    def init(self):
        return jnp.asarray(0.0)

    def step(self, t, dt, x, u):
        return u["force"], {"force": jnp.where(x > -jnp.inf, x, 0.0)}


PLANT = Node(Sampled(Mass(), RK4()), ["force"])
SPRING = Node(Spring(), ["displacement"])
DOWN = Wire("plant.displacement", "spring.displacement")
UP = Wire("spring.force", "plant.force")
LATE = Wire("spring.force", "plant.force", delayed=True)


def by_hand(steps, dt):
    """Mass under the spring force of the step before."""
    x, f = np.zeros(2), 0.0
    for _ in range(steps):
        x = np.array([x[0] + dt * x[1] + 0.5 * dt**2 * f, x[1] + dt * f])
        f = 1.0 - 4.0 * x[0]
    return x[0]


def run(diagram, steps, dt, u=None):
    tick = jax.jit(lambda x: diagram.step(0.0, dt, x, u))
    x = diagram.init()
    for _ in range(steps):
        x, y = tick(x)
    return y


def test_a_delayed_wire_closes_a_loop_one_step_late():
    diagram = Diagram(
        {"spring": SPRING, "plant": PLANT}, [DOWN, Wire("spring.force", "plant.force", delayed=True)]
    )
    y = run(diagram, 20, 0.05)
    assert set(y) == {"plant.displacement", "plant.velocity", "spring.force"}
    np.testing.assert_allclose(y["plant.displacement"], by_hand(20, 0.05), rtol=1e-12)
    np.testing.assert_allclose(y["spring.force"], 1 - 4 * y["plant.displacement"], rtol=1e-12)


def test_a_part_that_shows_only_its_memory_breaks_a_loop_by_itself():
    diagram = Diagram(
        {"plant": PLANT, "late": Node(Late(), ["force"]), "spring": SPRING},
        [DOWN, Wire("spring.force", "late.force"), Wire("late.force", "plant.force")],
    )
    np.testing.assert_allclose(run(diagram, 20, 0.05)["plant.displacement"], by_hand(20, 0.05), rtol=1e-12)


def test_an_algebraic_loop_is_named_with_its_wires():
    with pytest.raises(ConnectionFault) as error:
        Diagram({"plant": PLANT, "spring": SPRING}, [DOWN, UP])
    text = str(error.value)
    assert text.startswith("algebraic loop: ")
    assert "plant.displacement -> spring.displacement" in text
    assert "spring.force -> plant.force" in text
    assert "delayed=True" in text


def test_an_initial_value_of_a_delayed_wire_is_what_the_first_step_sees():
    late = Wire("spring.force", "plant.force", delayed=True, initial=3.0)
    y = run(Diagram({"plant": PLANT, "spring": SPRING}, [DOWN, late]), 1, 0.1)
    np.testing.assert_allclose(y["plant.velocity"], 0.3, rtol=1e-12)


def test_inputs_of_the_diagram_have_bare_names_and_a_missing_one_is_named():
    diagram = Diagram({"plant": PLANT}, [Wire("force", "plant.force")])
    np.testing.assert_allclose(run(diagram, 2, 0.1, {"force": 2.0})["plant.velocity"], 0.4, rtol=1e-12)
    with pytest.raises(UnknownNameError, match='no input of the diagram "force"; known: none'):
        diagram.step(0.0, 0.1, diagram.init(), None)


def test_a_diagram_can_be_a_batch_and_be_differentiated():
    def end(k):
        wires = [DOWN, LATE]
        diagram = Diagram({"plant": PLANT, "spring": Node(Spring(k), ["displacement"])}, wires)
        x, _ = diagram.step(0.0, 0.1, diagram.init(), None)
        x, _ = diagram.step(0.1, 0.1, x, None)
        return diagram.step(0.2, 0.1, x, None)[1]["spring.force"]

    # in three steps of 0.1 s the displacement is 0.01 * (1/2 + 1 + 1/2 (1 - k/200)), the force 1 - k x
    k = np.array([4.0, 8.0])
    exact = 1 - k * 0.01 * (2.0 - k / 400)
    np.testing.assert_allclose(jax.vmap(end)(jnp.asarray(k)), exact, rtol=1e-12)
    np.testing.assert_allclose(jax.grad(end)(4.0), -0.02 + 0.02 * 4 / 400, rtol=1e-12)


@pytest.mark.parametrize(
    ("wire", "text"),
    [
        (Wire("plan.displacement", "spring.displacement"), 'no part "plan"; did you mean "plant"'),
        (
            Wire("plant.displacment", "spring.displacement"),
            'no output of "plant" "displacment"; did',
        ),
        (
            Wire("plant.displacement", "spring.velocity"),
            'no input of "spring" "velocity"; known: dis',
        ),
    ],
)
def test_unknown_parts_and_signals_list_the_known_ones(wire, text):
    with pytest.raises(UnknownNameError, match=text):
        Diagram({"plant": PLANT, "spring": SPRING}, [wire])


def test_ends_of_different_unit_or_shape_are_refused_and_both_named():
    with pytest.raises(
        ConnectionFault, match=r"velocity -> spring.displacement: unit m/s at the source, m at"
    ):
        Diagram({"plant": PLANT, "spring": SPRING}, [Wire("plant.velocity", "spring.displacement")])
    wide = Node(Spring(), {"displacement": (3,)})
    with pytest.raises(ConnectionFault, match=r"shape \(\) at the source, \(3,\) at the target"):
        Diagram({"plant": PLANT, "spring": wide}, [DOWN])


def test_ends_of_different_frame_are_refused():
    signals.declare("push_of_the_wind", symbol="F_w", unit="N", label="wind", frame="world")
    wire = Wire("push_of_the_wind", "plant.force")
    with pytest.raises(ConnectionFault, match="frame world at the source, interface at the target"):
        Diagram({"plant": PLANT}, [wire])


def test_a_diagram_passes_through_a_compiled_function_and_fixes_the_shapes_of_its_parts():
    diagram = Diagram({"plant": PLANT, "spring": SPRING}, [DOWN, LATE]).sampled_at(0.1)
    step = jax.jit(lambda diagram, x: diagram.step(0.0, 0.1, x, None)[1])
    np.testing.assert_allclose(step(diagram, diagram.init())["spring.force"], 1.0, rtol=1e-12)


def test_inputs_left_open_and_inputs_wired_twice_are_reported():
    with pytest.raises(ConnectionFault, match=r"inputs left open: plant.force; wire each"):
        Diagram({"plant": PLANT, "spring": SPRING}, [DOWN])
    with pytest.raises(ConnectionFault, match=r"plant.force: wired to force, spring.force; an input"):
        Diagram({"plant": PLANT, "spring": SPRING}, [DOWN, Wire("force", "plant.force"), UP])
