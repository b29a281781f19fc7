# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What every impact limit keeps, whichever it is; a new one needs no line in here."""

from dataclasses import replace

import numpy as np
import pytest

from impact_msgs.msg import ControllerStatus
from impact_qp import Plan, solve
from impact_qp.limits import IMPACT_LIMITS, RobustImpactLimit, impact_limit
from impact_qp.program.build import build
from impact_qp.tasks import PostureTask
from impact_robots import ArmDynamics, load_robot
from impact_robots.registry import NameTakenError
from impact_ros.message_fields import constant

LIMITS = [  # that of a person needs a task, and has tests of its own
    name for name, kind in IMPACT_LIMITS.items() if kind.limit and not kind.limit.of_person
]
every_limit = pytest.mark.parametrize("name", LIMITS)
INTERFACES = ("torque", "velocity", "position")


@pytest.fixture(scope="session")
def panda(panda):
    """A Panda whose position loop is known, too."""
    return replace(panda, servo_stiffness=np.full(7, 5e3), servo_damping=np.full(7, 1e2))


def make(panda, contact, name, **changes):
    return Plan(contact, name, **changes).impact_limit(panda, 0.0)


def approaching(panda, contact, q, speed):
    """The state in which the contact point approaches at a speed, without turning [m/s]."""
    state = ArmDynamics(panda)(q, np.zeros(7))
    twist = np.append(-speed * contact.rotation[:, 2], np.zeros(3))
    return ArmDynamics(panda).state(q, np.linalg.pinv(state.J) @ twist)


def hasty(state, limit):
    """A task that pushes the contact point into the surface."""
    task = PostureTask(7, stiffness=1.0, weight=1.0)
    task.reference = state.q - 1e3 * limit.contact.rotation[:, 2] @ state.at(limit.frame).J[:3]
    return task


@every_limit
def test_it_has_an_effect(panda, contact, at_impact, name):
    """An arm that pushes towards the surface does so less."""
    limit = make(panda, contact, name)
    state = approaching(panda, contact, at_impact.q, 0.05)
    task, gradient = hasty(state, limit), limit.approach(state.at(limit.frame))[0]
    free = gradient @ solve(build(state, [task], [])).x
    kept = gradient @ solve(build(state, [task], [limit])).x[:7]
    assert free < 10.0 * kept < 0.0 or kept >= 0.0


@every_limit
@pytest.mark.parametrize("interface", INTERFACES)
def test_its_rows_keep_their_shape(panda, contact, random_states, name, interface):
    limit = make(panda, contact, name, interface=interface)
    assert limit.yields
    shapes = set()
    for state in random_states(20, seed=9):
        rows = limit.rows(state.robot_state)
        shapes.add((rows.G.shape, rows.E.shape, rows.h.shape, len(rows.names)))
        assert all(each.startswith("impact: ") for each in rows.names)
        assert all(np.isfinite(each).all() for each in (rows.G, rows.E, rows.h))
    count = len(limit.names)
    assert shapes == {((count, 7), (count, limit.variables), (count,), count)}


@every_limit
def test_its_speed_bound_is_what_its_rows_allow(panda, contact, at_impact, name):
    """Pushed as hard as may be, the previewed approach is at the bound, neither above nor below."""
    limit = make(panda, contact, name)
    bound = limit.speed_bound(ArmDynamics(panda)(at_impact.q, np.zeros(7))).speed
    assert 0.0 < bound < np.inf
    for share in (0.3, 0.9):
        state = approaching(panda, contact, at_impact.q, share * bound)
        for _ in range(200):  # cycles, until a limit that learns knows what it must
            limit.look(state.at(limit.frame))
        x = solve(build(state, [hasty(state, limit)], [limit])).x[:7]
        gradient, offset = limit.approach(state.at(limit.frame))
        here = limit.speed_bound(state.at(limit.frame)).speed
        assert -(gradient @ x + offset) == pytest.approx(here, rel=2e-3)


@every_limit
def test_it_survives_a_singular_jacobian(panda, contact, name):
    """With joints 2 to 7 at zero no joint moves the tool up or down."""
    limit = make(panda, contact, name)
    stretched = ArmDynamics(panda).state(np.zeros(7), np.full(7, 0.1))
    state = stretched.at(limit.frame)
    flat = state.J.copy()
    flat[:3] -= np.outer(contact.rotation[:, 2], contact.rotation[:, 2] @ flat[:3])
    for point in (state, state._replace(J=flat)):  # nearly, and exactly along the normal
        assert limit.speed_bound(point).speed >= 0.0  # NaN is not
    x = solve(build(stretched, [hasty(stretched, limit)], [limit])).x
    assert np.isfinite(x).all()


@every_limit
def test_it_survives_an_arm_at_rest(panda, contact, at_impact, name):
    limit = make(panda, contact, name)
    still = ArmDynamics(panda).state(at_impact.q, np.zeros(7))
    assert limit.speed_bound(still.at(limit.frame)).speed > 0.0
    rows = limit.rows(still)
    assert np.all(rows.h >= 0.0)  # to stand still is allowed
    assert np.isfinite(solve(build(still, [hasty(still, limit)], [limit])).x).all()


@every_limit
@pytest.mark.parametrize("interface", INTERFACES)
def test_a_plan_makes_it_for_every_interface(panda, contact, at_impact, name, interface):
    limit = make(panda, contact, name, interface=interface)
    assert isinstance(limit, IMPACT_LIMITS[name].limit)
    slower = limit.speed_bound(at_impact).speed
    assert 0.0 < slower <= make(panda, contact, name).speed_bound(at_impact).speed


@every_limit
def test_at_another_frame_it_is_that_of_an_arm_that_hits_there(panda, contact, random_states, name):
    kind, frame = IMPACT_LIMITS[name].limit, "panda_link5"
    elsewhere = load_robot("panda", contact_frame=frame)
    limit = kind.for_interface("torque", panda, contact, frame=frame)
    expected = kind.for_interface("torque", elsewhere, contact)
    for state in random_states(10, seed=11):
        same = ArmDynamics(elsewhere).state(state.q, state.dq)
        rows, wanted = limit.rows(state.robot_state), expected.rows(same)
        for part in ("G", "E", "h"):
            np.testing.assert_array_equal(getattr(rows, part), getattr(wanted, part))


@every_limit
def test_it_is_described_and_documented(project_root, name):
    kind = IMPACT_LIMITS[name]
    assert kind.name == name and kind.description
    assert f"`{name}`" in (project_root / "doc/controller.md").read_text()


def test_what_ships_has_a_constant_in_the_message_and_others_have_none():
    codes = {constant(ControllerStatus, "IMPACT_LIMITS", name) for name in IMPACT_LIMITS}
    assert len(codes) == len(IMPACT_LIMITS)
    assert ControllerStatus.IMPACT_LIMITS_UNKNOWN not in codes
    unknown = constant(ControllerStatus, "IMPACT_LIMITS", "gentle")
    assert unknown == ControllerStatus.IMPACT_LIMITS_UNKNOWN


def test_a_name_is_taken_once():
    with pytest.raises(NameTakenError, match=r"impact_limits: expected a name beside .*'robust'"):
        impact_limit("robust", "again")(RobustImpactLimit)
