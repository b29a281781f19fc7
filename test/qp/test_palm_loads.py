# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Joint loads as the limit of a humanoid's grab."""

from dataclasses import replace

import numpy as np
import pytest
from hrp4_on_its_feet import hrp4

from impact_predictor.exceptions import PredictionError
from impact_qp.body.grab_phases import box_arrivals
from impact_qp.body.palms.palm_loads import palm_hit, palm_load_bound
from impact_qp.exceptions import ControlError
from impact_qp.limits import SpeedBound
from impact_qp.object_speed.load_use import LoadUse
from impact_qp.whole_body import arrival_speed
from impact_qp.whole_body.arrivals_limit import WorstCaseArrivalsLimit
from impact_qp.whole_body.planning import JOINT_LOAD
from impact_robots import ArmDynamics
from impact_robots.exceptions import TaskError
from impact_robots.task.find import find_task
from impact_robots.task.palm_file import check_palm_task

TASK = find_task("qp_hrp4_grab")


@pytest.fixture(scope="module")
def arrivals():
    return box_arrivals(replace(TASK, impact_limits=JOINT_LOAD), hrp4())


@pytest.fixture(scope="module")
def state():
    return ArmDynamics(hrp4(), "all").state(TASK.grabbing(hrp4()), np.zeros(hrp4().nv))


def rows(limit, state, arrivals):
    n = len(limit.names)
    G, E, h = np.zeros((n, hrp4().nv)), np.zeros((n, 0)), np.zeros(n)
    limit.arrivals = arrivals
    limit.fill(state, G, E, h)
    return G, h


def test_palms_move_at_one_metre_per_second_without_turning():
    hit = palm_hit(hrp4(), TASK)
    for name, side in (("left_palm", -1.0), ("right_palm", 1.0)):
        point = hit.plates[name].arm.state
        np.testing.assert_allclose(point.twist, [0, side, 0, 0, 0, 0], atol=1e-9)
        np.testing.assert_allclose(hit.plates[name].axes[:, 2], [0, side, 0], atol=1e-9)
    for sole in ("left_sole", "right_sole"):
        twist = hit.plates["left_palm"].arm.state.robot_state.at(sole).twist
        np.testing.assert_allclose(twist, 0.0, atol=1e-9)


def test_at_the_bound_no_joint_is_above_its_limit_and_one_is_at_it():
    hit, bound = palm_hit(hrp4(), TASK), palm_load_bound(hrp4(), TASK)
    late = [{}, *({name: delay} for name in hit.plates for delay in (0.004, 0.015))]
    used = [LoadUse(hit, margin=0.05, delays=delays).used(bound.speed).max() for delays in late]
    assert 0.97 < max(used) <= 1.0 + 1e-3
    assert bound.name == "L_HAND_J1 torque change"


def test_known_joints_allow_more():
    known = palm_load_bound(hrp4(), TASK, "nominal")
    assert known.speed > 1.5 * palm_load_bound(hrp4(), TASK).speed


def test_the_bound_replaces_torques_by_impulses(state, arrivals):
    robot, q = hrp4(), TASK.grabbing(hrp4())
    load = arrivals[0].load
    assert arrival_speed(robot, q, arrivals, JOINT_LOAD) == load
    limit = WorstCaseArrivalsLimit(robot, by_load=True)
    _, h = rows(limit, state, arrivals)
    assert limit.bound.name == load.name
    assert limit.bound.speed == pytest.approx((1.0 - limit.margin) * load.speed)
    speeds = h[: limit.used]  # palms at rest: right sides are bounds on speeds
    assert speeds.min() == pytest.approx(limit.bound.speed)


def test_velocities_after_the_impact_still_count(arrivals):
    """Of joints that are nearly as fast as they may be the velocities decide."""
    robot, fast = hrp4(), [replace(each, load=SpeedBound(9.0, "load")) for each in arrivals]
    bound = arrival_speed(robot, TASK.grabbing(robot), fast, JOINT_LOAD)
    assert bound.speed < 9.0 and "velocity" in bound.name


def test_arrivals_of_unknown_loads_do_not_arrive(state):
    one, other = box_arrivals(TASK, hrp4())  # whose limits are no loads
    unknown = [one, replace(other, load=SpeedBound(9.0, "load"))]
    assert one.load is None
    with pytest.raises(ControlError, match="expected arrivals with known joint loads"):
        arrival_speed(hrp4(), TASK.grabbing(hrp4()), unknown, JOINT_LOAD)
    limit = WorstCaseArrivalsLimit(hrp4(), by_load=True)
    _, h = rows(limit, state, tuple(unknown))
    assert limit.bound == SpeedBound(0.0, "joint loads not known")
    assert h[: limit.used].min() == 0.0


def test_a_range_of_torques_is_refused():
    limits = replace(hrp4().limits, torque_range=np.full(34, 200.0))
    with pytest.raises(PredictionError, match="expected no torque_range of a floating base"):
        palm_load_bound(replace(hrp4(), limits=limits), TASK)


def test_motors_without_a_servo_are_refused():
    by_torque = replace(TASK, interface="torque", impact_limits=JOINT_LOAD)
    with pytest.raises(PredictionError, match="'apparent_motor_inertia'"):
        box_arrivals(by_torque, hrp4())


@pytest.mark.parametrize("stiffness", [(0.0, 1e5), (2e5, 1e5), (np.nan, 1e5)])
def test_a_stiffness_without_a_meaning_is_refused(stiffness):
    with pytest.raises(TaskError, match="stiffness"):
        check_palm_task(replace(TASK, stiffness=stiffness), "task.yaml")
