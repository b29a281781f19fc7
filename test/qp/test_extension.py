# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What a user adds from outside: impact limits, tasks, limits, phases; no file knows of it."""

from dataclasses import replace
from math import inf

import coal
import numpy as np
import pinocchio as pin
import pytest
from packed_states import packed

from impact_msgs.action import ExecuteImpact
from impact_msgs.msg import ControllerStatus
from impact_qp import ControlError, ImpactController, Phase, Plan
from impact_qp.control.acceleration import AccelerationSolver
from impact_qp.control.approach import ApproachTasks
from impact_qp.control.phases import next_phase
from impact_qp.goals.goal_reader import plan_of
from impact_qp.limits import (
    IMPACT_LIMITS,
    Body,
    CollisionLimit,
    JointLimit,
    Limit,
    RateLimit,
)
from impact_qp.limits.collision import WORLD
from impact_qp.parameters import ControllerParameters
from impact_qp.tasks import FrameTask, PostureTask, VelocityTask
from impact_robots import ArmDynamics
from impact_ros.parameters import ParameterError, from_values
from impact_sim import PANDA_NOISE, Simulation

GENTLE = 0.02  # [m/s]


@pytest.fixture
def gentle(project_root):
    """The documentation's limit, registered by its decorator for one test."""
    page = (project_root / "doc/controller.md").read_text()
    (block,) = [each for each in page.split("```python\n")[1:] if "@impact_limit" in each]
    names = {}
    exec(block.split("```")[0], names)
    yield names["GentleLimit"]
    if "gentle" in IMPACT_LIMITS:
        IMPACT_LIMITS.remove("gentle")


def approach(panda, scenario, controller, cycles=6000):
    """Close the loop on the flexible-joint plant until it touches; commands and touch speed."""
    simulation = Simulation(panda, scenario.wall(panda), noise=PANDA_NOISE)
    plant, commands = simulation.plant, []
    measurement = simulation.reset(scenario.start(panda))
    for _ in range(cycles):
        dq, q = plant.dq, plant.q
        commands.append(controller.update(measurement.q, measurement.dq))
        measurement = simulation.step(commands[-1].driver_torque)
        if plant.contact_force.any():
            break
    velocity = ArmDynamics(panda)(q, dq).velocity
    return commands, -float(controller.plan.contact.rotation[:, 2] @ velocity)


def ideal(panda, q, controller, cycles):
    """The arm that does what is commanded: the commands, and the states [q, dq]."""
    dq, commands, states = np.zeros(7), [], []
    for _ in range(cycles):
        commands.append(controller.update(q, dq))
        ddq = commands[-1].ddq
        q, dq = q + dq * 1e-3 + 0.5e-6 * ddq, dq + 1e-3 * ddq
        states.append((q, dq))
    return commands, states


# --- an impact limit ----------------------------------------------------------------------------


def test_a_limit_from_outside_drives_a_closed_loop(panda, scenario, contact, gentle):
    plan = Plan(contact, "gentle", speed=scenario.reference_speed)
    controller = ImpactController(panda, plan)
    commands, speed = approach(panda, scenario, controller)
    assert isinstance(controller.impact_limit, gentle)
    assert speed == pytest.approx(GENTLE, rel=0.05)
    assert commands[-1].active == ("impact: gentle",) and commands[-1].speed_bound == GENTLE


def test_it_is_a_value_of_the_parameter_while_it_is_registered(contact, gentle):
    values = {"robot": "panda", "impact_limits": "gentle"}
    values |= {"contact_point": contact.point.tolist(), "contact_normal": contact.normal.tolist()}
    assert from_values(ControllerParameters, values).plan().impact_limits == "gentle"
    IMPACT_LIMITS.remove("gentle")
    with pytest.raises(ParameterError, match=r"impact_limits: expected one of auto, .*'gentle'"):
        from_values(ControllerParameters, values)
    with pytest.raises(ControlError, match=r"impact_limits: expected one of auto, .*'gentle'"):
        Plan(contact, "gentle")


def test_a_goal_of_another_kind_does_not_replace_it(panda, contact, at_impact, gentle):
    """The kinds have no order: the node's own and the goal's both hold."""
    values = {"contact_point": contact.point.tolist(), "contact_normal": contact.normal.tolist()}
    goal = ExecuteImpact.Goal()
    goal.contact.header.frame_id = panda.base_frame
    x, y, z = contact.point
    goal.contact.pose.position.x, goal.contact.pose.position.y = x, y
    goal.contact.pose.position.z = z
    for own, asked in (("robust", "gentle"), ("gentle", "robust")):
        settings = from_values(
            ControllerParameters, {"robot": "panda", "impact_limits": own, **values}
        )
        goal.impact_limits = asked
        plan = plan_of(goal, settings, panda, at_impact)
        assert (plan.impact_limits, plan.also_limits) == (asked, (own,))
        assert plan.impact_limit(panda, 1e-3).present_bound(at_impact).speed == 0.02


def test_the_node_takes_it_by_name(make_bench, gentle):
    bench = make_bench(impact_limits="gentle")
    bench.start()
    _, status = bench.answer(bench.state(1_000_000))
    assert status.impact_limits == ControllerStatus.IMPACT_LIMITS_UNKNOWN


# --- tasks --------------------------------------------------------------------------------------


def test_a_task_is_added_without_touching_the_controller(panda, scenario, contact):
    """The elbow goes where it is commanded while the tool approaches as before."""
    q = scenario.start(panda)
    there = ArmDynamics(panda).state(q, np.zeros(7)).at("panda_link4").position
    elbow = VelocityTask(frame="panda_link4", weight=30.0)
    elbow.reference = np.array([0.0, 0.05, 0.0])
    plan = Plan(contact, "unaware", speed=0.02)
    moved = {}
    for tasks in ((), (elbow,)):
        _, states = ideal(panda, q, ImpactController(panda, plan, tasks=tasks), 400)
        end = ArmDynamics(panda).state(*states[-1])
        moved[len(tasks)] = (end.at("panda_link4").position - there, end.at().velocity)
    assert moved[0][0][1] < 0.003 and moved[1][0][1] > 0.006  # a straight way takes 0.02
    np.testing.assert_allclose(moved[1][1], moved[0][1], atol=3e-3)


def test_the_tasks_of_the_approach_may_be_the_callers(panda, scenario, contact):
    plan = Plan(contact, "unaware", speed=0.05)
    lazy = ApproachTasks(panda, plan, 1e-3, velocity=VelocityTask(gain=2.0))
    speeds = []
    for tasks in (None, lazy):
        controller = ImpactController(panda, plan, approach=tasks)
        commands, _ = ideal(panda, scenario.start(panda), controller, 100)
        speeds.append(-commands[-1].normal_speed)
    assert speeds[0] == pytest.approx(0.05, rel=0.05)
    assert 0.0 < speeds[1] < speeds[0]


def test_a_pose_task_of_another_frame_reaches_its_pose(panda):
    from impact_qp import solve
    from impact_qp.program.build import build

    dynamics, q, dq = ArmDynamics(panda), panda.stance.copy(), np.zeros(7)
    start, way = dynamics.state(q, dq).at("panda_link5"), np.array([0.03, 0.05, -0.02])
    task, posture = FrameTask(frame="panda_link5"), PostureTask(7)
    task.reference = pin.SE3(start.rotation, start.position + way)
    posture.reference = q
    for _ in range(2000):
        state = dynamics.state(q, dq)
        ddq = solve(build(state, [task, posture], [])).x
        q, dq = q + dq * 1e-3 + 0.5e-6 * ddq, dq + ddq * 1e-3
    end = state.at("panda_link5").position
    assert np.linalg.norm(end - start.position - way) < 0.3 * np.linalg.norm(way)


# --- limits -------------------------------------------------------------------------------------


def test_a_collision_limit_keeps_the_arm_off_a_ball_while_it_approaches(panda, scenario, contact):
    """The ball is on the way, in front of the surface."""
    q, normal = scenario.start(panda), contact.rotation[:, 2]
    tool = ArmDynamics(panda).position(q)
    ball = pin.SE3(np.eye(3), tool - 0.11 * normal)
    bodies = {
        "tool": Body(panda.contact_frame, coal.Sphere(0.02), pin.SE3.Identity()),
        "ball": Body(WORLD, coal.Sphere(0.02), ball),
    }
    limit = CollisionLimit(panda, bodies, [("tool", "ball")], safe=0.01)
    plan = Plan(contact, "unaware", speed=0.1, stall_time=10.0)
    nearest = {}
    for limits in ((), (limit,)):
        commands, states = ideal(panda, q, ImpactController(panda, plan, limits=limits), 1200)
        nearest[len(limits)] = min(limit.distances(q)[0] for q, _ in states)
    assert nearest[0] < -0.02  # through the ball
    assert nearest[1] > 0.009
    assert "collision: tool - ball" in {name for each in commands for name in each.active}


class PowerLimit(RateLimit):
    """Joint power below a limit, and changes of acceleration too: a hardware limit of one's own."""

    def __init__(self, most):
        self.most, self.told, self.resets = most, [], 0
        self.names = ("power",)

    def fill(self, state, G, E, h):
        G[0] = state.dq @ state.M
        h[0] = self.most - state.dq @ (state.h - state.g)

    def reset(self):
        self.resets += 1

    def remember(self, ddq, torque):
        self.told.append((ddq, torque))


def test_a_hardware_limit_of_ones_own_binds_and_is_told_what_was_commanded(
    panda, scenario, contact
):
    plan, q = Plan(contact, "unaware", speed=0.3), scenario.start(panda)
    power, inertia = {}, ArmDynamics(panda)
    for most in (inf, 0.05):
        limit = PowerLimit(min(most, 1e6))
        commands, states = ideal(panda, q, ImpactController(panda, plan, limits=[limit]), 150)
        befores = [(q, np.zeros(7)), *states[:-1]]
        points = [inertia.state(*each) for each in befores]
        power[most] = [
            state.dq @ (state.M @ command.ddq + state.h - state.g)
            for state, command in zip(points, commands, strict=True)
        ]
        assert limit.resets > 0 and len(limit.told) == len(commands)
        np.testing.assert_array_equal(limit.told[-1][0], commands[-1].ddq)
    assert max(power[inf]) > 0.2
    assert max(power[0.05]) < 0.05 * 1.2  # planned from filtered velocities
    assert any("power" in command.active for command in commands)


class Kick(Limit):
    """Joint 1 must accelerate as no arm can."""

    names = ("kick",)

    def __init__(self, yields):
        self.yields = yields

    def fill(self, state, G, E, h):
        G[0], h[0] = -np.eye(7)[0], -1e6


@pytest.mark.parametrize("impact", [False, True])
def test_what_yields_gives_way_to_the_hardware_and_what_does_not_lets_the_arm_brake(
    panda, at_impact, impact
):
    for yields in (True, False):
        solver = AccelerationSolver(panda, 1e-3, [PostureTask(7)], limits=[Kick(yields)])
        solver.joint_limit.previous = np.zeros(7)
        found = solver.solve(packed(at_impact), impact=impact)
        lower, upper = solver.joint_limit.box(at_impact.robot_state)
        assert np.all(found.ddq >= lower - 1e-9) and np.all(found.ddq <= upper + 1e-9)
        if yields:
            assert found.relaxed == ("kick",) and found.slack > 1e5
            assert found.ddq[0] == pytest.approx(upper[0])
        else:
            assert "joint limits" in found.relaxed and found.slack == 0.0


def test_the_limits_of_joints_and_torques_may_be_the_callers(panda, at_impact):
    task = PostureTask(7, stiffness=100.0)
    task.reference = at_impact.q + 1.0
    quick, slow = (JointLimit(each, 1e-3) for each in (panda, _halved(panda)))
    most = {}
    for limit in (quick, slow):
        solver = AccelerationSolver(panda, 1e-3, [task], joint_limit=limit)
        most[limit] = np.abs(solver.solve(packed(at_impact)).ddq).max()
    assert most[slow] == pytest.approx(0.5 * most[quick])


def _halved(panda):
    limits = replace(panda.limits, acceleration=0.5 * panda.limits.acceleration)
    return replace(panda, limits=limits)


# --- phases -------------------------------------------------------------------------------------


def test_the_phases_are_the_callers(panda, scenario, contact):
    """A user who never retracts: what would retract holds."""

    def never_back(now, plan):
        phase = next_phase(now, plan)
        return Phase.BRAKE if phase is Phase.RETRACT else phase

    plan, q = Plan(contact, "robust"), scenario.start(panda)
    ends = {}
    for phases in (next_phase, never_back):
        controller = ImpactController(panda, plan, phases=phases)
        seen = [controller.update(q, np.zeros(7), impact=20 < k < 40).phase for k in range(200)]
        ends[phases] = set(seen)
    assert ends[next_phase] - ends[never_back] == {Phase.RETRACT}
    assert Phase.HOLD in ends[never_back]
