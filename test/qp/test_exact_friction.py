# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Friction as a range: defaults that are safe at both ends, and exact numbers that are not."""

import numpy as np
import pytest

from impact_qp.control.plan import Plan
from impact_qp.exact_friction import exact_friction_warning
from impact_qp.limits import Contact
from impact_qp.parameters import ControllerParameters
from impact_qp.planning import safe_speed
from impact_robots import ArmDynamics
from impact_ros.parameters import ParameterError, from_values

Q = np.array([0.0, 0.159, 0.0, -2.399, 0.0, 2.558, 0.0])  # of doc/tutorial.md
UP = (0.0, 0.0, 1.0)
GIVEN = {"contact_point": (0.0, 0.0, 0.0), "contact_normal": UP}
KINDS = ("joint_load", "robust", "existential", "nominal")


def plan(robot, kind, *friction):
    return Plan(Contact(ArmDynamics(robot).position(Q), UP, *friction), kind)


def bound(robot, kind, *friction):
    limit = plan(robot, kind, *friction).impact_limit(robot, 0.0)
    return safe_speed(robot, limit, Q).bound.speed


@pytest.mark.parametrize("kind", KINDS)
def test_the_default_friction_is_safe_at_both_of_its_ends_and_between(panda, kind):
    for given in (None, from_values(ControllerParameters, GIVEN)):
        friction = () if given is None else (given.plan().contact.friction,)
        for exact in (0.0, 0.1, 0.2, 0.3):
            assert bound(panda, kind, *friction) <= bound(panda, kind, exact) * (1 + 1e-9)


def test_the_warning_says_both_speeds_where_exact_friction_is_faster(panda):
    line = exact_friction_warning(plan(panda, "joint_load", 0.3), panda, Q)
    assert "friction: 0.3 is taken as exact and allows 0.226 m/s" in line
    assert "0 to 0.3 allow 0.116 m/s; give [0.0, 0.3]" in line


def test_configure_looks_beyond_the_stance(panda):
    """In the stance, at an upright wall, the exact number is not faster; elsewhere it is."""
    wall = Plan(Contact((0.6, 0.0, 0.3), (-1.0, 0.0, 0.0), 0.3), "joint_load")
    assert not exact_friction_warning(wall, panda, panda.stance)
    assert "friction: 0.3 is taken as exact and allows" in exact_friction_warning(wall, panda)
    robust = Plan(wall.contact, "robust")  # counts on the highest friction alone
    assert not exact_friction_warning(robust, panda)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("friction", [0.0, 0.1, 0.3, (0.0, 0.3), (0.1, 0.3)])
def test_there_is_a_warning_exactly_where_one_number_is_faster(panda, kind, friction):
    line = exact_friction_warning(plan(panda, kind, friction), panda, Q)
    exact = not isinstance(friction, tuple)
    faster = exact and bound(panda, kind, friction) > 1.001 * bound(panda, kind, (0.0, friction))
    assert bool(line) == faster


@pytest.mark.parametrize("given", [0.3, [0.3, 0.3], (0.3, 0.3), np.float64(0.3)])
def test_one_number_stands_for_both_ends(given):
    assert from_values(ControllerParameters, {"friction": given}).friction == (0.3, 0.3)


@pytest.mark.parametrize("name", ["friction", "restitution", "stiffness"])
@pytest.mark.parametrize("value", [[0.3, 0.1], [0.3], [], [0.1, 0.2, 0.3], "0.3", [0.1, "x"], True])
def test_what_is_no_range_is_refused_in_one_line(name, value):
    with pytest.raises(ParameterError, match=f"{name}: expected low,high") as caught:
        from_values(ControllerParameters, {name: value})
    assert "\n" not in str(caught.value)
