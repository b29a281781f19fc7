# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Which impact map the references of a push or a grab are made by."""

from dataclasses import replace

import numpy as np
import pytest

from impact_predictor.exceptions import UnknownNameError
from impact_qp.arms.plans import OBJECT_MAP_CHOICES, SpreadChoice, expected_impact, spread_plans
from impact_robots.task.box_file import load_box_task

PUSH, GRAB = "rs_push_catfood_case2", "rs_grab_catfood_case1"


def after(task, object_map):
    """Return the velocities of [p; xi] after the impact by a plan, one row an arm."""
    plans = spread_plans(task, SpreadChoice(object_map=object_map))
    return np.array([plan.reference.jump[1] for plan in plans])


@pytest.mark.parametrize(("name", "usual"), [(PUSH, "points"), (GRAB, "locked")])
def test_the_usual_map_is_that_of_the_tasks_kind(name, usual):
    task = load_box_task(name)
    np.testing.assert_array_equal(after(task, "usual"), after(task, usual))
    assert SpreadChoice().object_map == "usual"


@pytest.mark.parametrize("name", [PUSH, GRAB])
def test_references_begin_with_the_velocity_of_the_engines_step(name):
    pytest.importorskip("mujoco")
    task, choice = load_box_task(name), SpreadChoice(object_map="mujoco")
    expected = expected_impact(task, choice)
    wanted = [
        np.append(twist[:3], expected.joints[arm][0]) for arm, twist in expected.plates.items()
    ]
    np.testing.assert_allclose(after(task, "mujoco"), wanted, atol=1e-12)
    assert np.abs(after(task, "mujoco") - after(task, "usual")).max() > 0.03


def test_a_reference_slowed_by_limits_keeps_the_engines_map():
    """Its velocities are those of the map of the slower arms."""
    pytest.importorskip("mujoco")
    task, choice = load_box_task(GRAB), SpreadChoice(object_map="mujoco")
    safe = replace(task, impact_limits="robust")
    slowed, whole = (spread_plans(each, choice)[0].reference.jump[0] for each in (safe, task))
    factor = slowed[2] / whole[2]
    assert 0.02 < factor < 0.9
    slow = replace(task, dq_impact=tuple(tuple(factor * np.array(dq)) for dq in task.dq_impact))
    plates = expected_impact(slow, choice).plates.values()
    wanted = np.array([twist[:3] for twist in plates])
    np.testing.assert_allclose(after(safe, "mujoco")[:, :3], wanted, atol=1e-7)


def test_a_map_that_there_is_not_is_refused_with_the_choices():
    assert OBJECT_MAP_CHOICES == ("usual", "locked", "points", "mujoco")
    with pytest.raises(UnknownNameError) as refused:
        spread_plans(load_box_task(PUSH), SpreadChoice(object_map="glued"))
    choices = "expected one of usual, locked, points, mujoco, got 'glued'"
    assert str(refused.value) == f"object map: {choices}"
