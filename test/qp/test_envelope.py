# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One envelope around every command: speed, obstacles, loads, pushes, first commands."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from rigid_arm import RigidArm

from impact_qp import ControlError, ImpactController, Phase, Plan
from impact_qp.control.guarded import GuardedController
from impact_qp.guards.envelope import CHEAP, Envelope
from impact_qp.guards.tracking import TrackingWatch
from impact_qp.interface import LEAD, VelocityInterface
from impact_qp.limits import Contact, JointLoadLimit, RobustImpactLimit
from impact_qp.limits.impact_limits.strictest import StrictestLimit
from impact_robots import ArmDynamics

MS = 1_000_000  # [ns]
CAP = 0.1  # [m/s]


@pytest.fixture
def far(panda):
    """Return a surface half a metre in front of the stance, its normal towards the arm."""
    place = ArmDynamics(panda)(np.array(panda.stance), np.zeros(7)).position
    return Contact(place + np.array([0.5, 0.0, 0.0]), [-1.0, 0.0, 0.0], (0.0, 0.3), (0.0, 0.3))


def plan_for(contact, **options):
    return Plan(contact, **({"speed": 0.5, "speed_cap": CAP} | options))


class Bench:
    """A controller and a rigid arm with friction and a sensor's noise."""

    def __init__(self, robot, q, plan):
        self.robot, self.controller = robot, ImpactController(robot, plan)
        self.arm, self.dynamics = RigidArm(robot, q, friction=0.2), ArmDynamics(robot)
        self.random = np.random.default_rng(0)

    def run(self, count, push=0.0, impact=False, missed=0):
        """Return the contact point's states and the commands of so many cycles.

        ``missed``: at most so many states in a row.
        """
        states, commands, last = [], [], None
        for k in range(count):
            q = self.arm.q + 1e-5 * self.random.standard_normal(7)
            dq = self.arm.dq + 4e-3 * self.random.standard_normal(7)
            if last is None or k >= last + 1 + (self.random.integers(missed + 1) if missed else 0):
                elapsed, last = None if last is None else (k - last) * 1_000_000, k
                commands.append(self.controller.update(q, dq, impact=impact, elapsed=elapsed))
            self.arm.step(commands[-1].torque + push)
            states.append(self.dynamics(self.arm.q, self.arm.dq))
        return states, commands

    def load(self, mass):
        """Let the contact point bear a mass that nobody announced."""
        model = self.robot.model
        frame = model.frames[model.getFrameId(self.robot.contact_frame)]
        body = pin.Inertia(mass, frame.placement.translation, 1e-3 * mass * np.eye(3))
        self.arm.model.inertias[frame.parentJoint] += body
        self.arm.data = self.arm.model.createData()


def speeds(states):
    return np.array([np.linalg.norm(each.velocity) for each in states])


# --- speed, in every direction ------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["robust", "unaware"])
def test_no_phase_is_faster_than_the_cap(panda, far, kind):
    """Approach, retraction and hold: the retraction was asked for at five times the cap."""
    plan = plan_for(far, impact_limits=kind, retract_speed=0.5, retract_distance=1.0)
    bench = Bench(panda, panda.stance, plan)
    towards, _ = bench.run(400)
    bench.run(150, impact=True)
    back, commands = bench.run(400)
    assert commands[-1].phase is Phase.RETRACT
    for states in (towards[100:], back):
        assert 0.01 < speeds(states).max() < 1.05 * CAP


def test_a_retraction_keeps_the_bound_of_an_obstacle_behind(panda, far):
    """It went back at whatever `retract_speed` said, 0.45 m/s into what stood there."""
    plan = plan_for(
        far, impact_limits="robust", speed_cap=0.5, retract_speed=0.5, retract_distance=1.0
    )
    bench = Bench(panda, panda.stance, plan)
    bench.run(100)
    bench.run(101, impact=True)
    states, commands = bench.run(300)
    behind = Contact(far.point, [1.0, 0.0, 0.0], (0.0, 0.3), (0.0, 0.3))
    bound = RobustImpactLimit(panda, behind, margin=0.0)
    assert commands[-1].phase is Phase.RETRACT and "envelope: obstacle" in commands[-1].active
    for state in states[100:]:
        assert 0.005 < state.velocity @ far.normal < 1.02 * bound.speed_bound(state).speed + 0.002


def test_the_share_for_joint_load_is_below_its_bounds(panda, far):
    """In drawn places and directions, for rigid obstacles; an independent search is the judge."""
    random, limits, dynamics = np.random.default_rng(2), panda.limits, ArmDynamics(panda)
    for _ in range(20):
        q = random.uniform(0.9 * limits.position_lower, 0.9 * limits.position_upper)
        state, normal = dynamics(q, np.zeros(7)), random.normal(size=3)
        obstacle = Contact(state.position, normal, (0.0, 0.3), (0.0, 0.3))
        exact = JointLoadLimit(panda, obstacle).speed_bound(state).speed
        assert CHEAP * RobustImpactLimit(panda, obstacle).speed_bound(state).speed <= exact


def test_what_the_envelope_allows_is_not_touched(panda, far):
    """A row that does not bind changes nothing: it is not even asked for."""
    envelope = Envelope(panda, RobustImpactLimit(panda, far), far, CAP)
    state = ArmDynamics(panda)(np.array(panda.stance), np.zeros(7))
    assert not envelope.exceeded(state, np.zeros(7), bounded=True)
    up = np.linalg.pinv(state.J[:3]) @ [0.0, 0.0, 20.0]
    assert envelope.exceeded(state, up, bounded=True)


def test_a_detection_ends_a_retraction(panda, far):
    """What the arm meets on its way back ends the motion; the detector was not asked there."""
    bench = Bench(panda, panda.stance, plan_for(far, impact_limits="robust", retract_distance=0.9))
    bench.run(100)
    bench.run(150, impact=True)
    _, before = bench.run(50)
    assert before[-1].phase is Phase.RETRACT
    _, after = bench.run(300, impact=True)
    assert after[0].phase is Phase.BRAKE and after[-1].phase is Phase.HOLD


def test_the_smallest_of_several_limits_counts(panda, far):
    """A goal with `joint_load` made a `robust` node faster: 0.124 m/s instead of 0.078."""
    state = ArmDynamics(panda)(np.array(panda.stance), np.zeros(7))
    both = Plan(far, "joint_load", also_limits=("robust",)).impact_limit(panda, 1e-3)
    alone = [Plan(far, kind).impact_limit(panda, 1e-3) for kind in ("joint_load", "robust")]
    assert isinstance(both, StrictestLimit)
    assert both.speed_bound(state).speed == min(each.speed_bound(state).speed for each in alone)


# --- loads --------------------------------------------------------------------------------------


@pytest.mark.parametrize("missed", [2, 4, 10])
def test_an_arm_whose_states_are_missed_now_and_then_is_steady(panda, far, missed):
    """A filter that took each state for the next one made arms swing at 5 rad/s."""
    bench = Bench(panda, panda.stance, plan_for(far, speed=0.1))
    bench.controller.stop()
    states, _ = bench.run(2000, missed=missed)
    assert speeds(states).max() < 0.02
    bench.controller.reset()
    states, commands = bench.run(2000, missed=missed)
    assert speeds(states).max() < 0.15
    assert speeds(states[-500:]).max() < 0.12
    assert commands[-1].phase is Phase.APPROACH
    assert not bench.controller.refused


@pytest.mark.parametrize("mass", [0.5, 3.0])
@pytest.mark.parametrize("when", ["holding", "braking"])
def test_a_payload_that_nobody_announced_sinks_by_less_than_30_mm(panda, far, mass, when):
    """Half a kilogram sank for ever after a stop, 26 cm in 3 s, and the arm went on braking."""
    bench = Bench(panda, panda.stance, plan_for(far, impact_limits="robust"))
    bench.run(200)
    bench.controller.stop()
    states, _ = bench.run(400 if when == "holding" else 20)
    height = states[-1].position[2]
    bench.load(mass)
    states, commands = bench.run(1500)
    assert max(height - each.position[2] for each in states) < 0.03
    assert commands[-1].phase is Phase.HOLD
    assert "beyond the model" in commands[-1].note
    assert speeds(states[-100:]).max() < 5e-3


def test_a_stop_ends_whatever_moves_the_arm(panda, far):
    """A push that is stronger than what the arm bears: after a second it holds, again and again."""
    bench = Bench(panda, panda.stance, plan_for(far, impact_limits="robust"))
    bench.controller.stop()
    push = np.array([30.0, 0, 0, 0, 0, 0, 0])
    _, commands = bench.run(1200, push)
    assert Phase.HOLD in {each.phase for each in commands[900:1100]}


WAY = np.array([0.3, -0.2, 0.1, 0.2, 0.1, 0.0, 0.0])  # by hand [rad]


def test_an_arm_that_is_pushed_away_stays_there(panda, far):
    """It went back to where it had come to rest, however far that was."""
    bench = Bench(panda, panda.stance, plan_for(far, impact_limits="robust"))
    bench.controller.stop()
    bench.run(300)
    for _ in range(1000):  # a person leads it there against its brakes, and lets go
        bench.arm.q, bench.arm.dq = bench.arm.q + 1e-3 * WAY, WAY
        bench.controller.update(bench.arm.q, bench.arm.dq)
    bench.arm.dq = np.zeros(7)
    place = bench.dynamics(bench.arm.q, np.zeros(7)).position
    states, commands = bench.run(1500)
    assert commands[-1].phase is Phase.HOLD
    assert np.linalg.norm(states[-1].position - place) < 0.05  # it was led by 0.26 m


def test_an_arm_that_was_moved_while_nothing_was_sent_does_not_go_back(panda, far):
    """A deactivated node's arm flew back at 1.4 m/s after it was moved by hand."""
    bench = Bench(panda, panda.stance, plan_for(far, impact_limits="robust"))
    bench.controller.stop()
    bench.run(300)
    list(bench.controller.settle())
    bench.arm.q, bench.arm.dq = bench.arm.q + WAY, np.zeros(7)
    place = bench.dynamics(bench.arm.q, np.zeros(7)).position
    states, commands = bench.run(1000)
    assert commands[-1].phase is Phase.HOLD
    assert np.linalg.norm(states[-1].position - place) < 2e-3
    assert speeds(states).max() < 0.02


def test_the_first_position_is_the_measured_one(panda, far):
    """After states were lost and came back elsewhere it was 0.5 rad away."""
    guarded = GuardedController(
        ImpactController(panda, plan_for(far, interface="position", impact_limits="robust"))
    )
    q = np.array(panda.stance)
    for k in range(200):
        guarded.cycle(k * MS, q, np.zeros(7))
    guarded.lose("no joint state")
    while guarded.settle() is not None:
        pass
    there = q + np.array([0.4, 0.3, -0.2, 0.3, 0.2, 0.1, 0.3])
    for k in range(2000, 2100):
        command = guarded.cycle(k * MS, there, np.zeros(7))
        assert np.abs(command.position - there).max() <= 1e-3 * panda.limits.velocity.max()
    assert guarded.fault == "no joint state" and command.phase is Phase.HOLD


def test_positions_follow_an_arm_that_others_move(panda, far):
    """While it holds; commands stay within the lead of where the arm is."""
    guarded = GuardedController(
        ImpactController(panda, plan_for(far, interface="position", impact_limits="robust"))
    )
    guarded.stop()
    q = np.array(panda.stance)
    for k in range(400):
        q = q + 1e-3 * (k > 100)
        command = guarded.cycle(k * MS, q, np.full(7, 1.0 * (k > 100)))
        assert (np.abs(command.position - q) <= 1.02 * LEAD * panda.limits.velocity).all()
    assert guarded.fault == ""


@pytest.mark.parametrize("interface", ["torque", "velocity", "position"])
def test_an_arm_whose_clock_runs_back_comes_to_rest(panda, far, interface):
    """Torques were not to change in negative time: an arm that braked got faster, 1.4 rad/s."""
    plan = plan_for(far, interface=interface, impact_limits="robust")
    guarded, dynamics = GuardedController(ImpactController(panda, plan)), ArmDynamics(panda)
    arm, fastest = RigidArm(panda, panda.stance, friction=0.3), []
    for k in range(1000):
        if k == 300:
            guarded.stop()
        time = (k if k < 300 else 600 - k) * MS
        command = guarded.cycle(time + 1000 * MS, arm.q, arm.dq)
        if interface == "torque":
            arm.step(command.driver_torque + dynamics(arm.q, arm.dq).g)
        else:
            arm.dq = command.velocity
            arm.q = arm.q + 1e-3 * arm.dq if interface == "velocity" else command.position
        fastest.append(float(np.abs(arm.dq).max()))
    assert fastest[299] > 0.02
    assert max(fastest[600:]) < 0.01
    assert command.phase is Phase.HOLD


@pytest.mark.parametrize("stopped", [100, 450])
def test_an_arm_that_is_shoved_while_it_brakes_or_holds_comes_to_rest(panda, far, stopped):
    """40 N for 0.2 s: it is braked, not left to gravity compensation."""
    guarded = GuardedController(ImpactController(panda, plan_for(far, impact_limits="robust")))
    arm, dynamics, fastest = RigidArm(panda, panda.stance, friction=0.3), ArmDynamics(panda), []
    for k in range(2000):
        if k == stopped:
            guarded.stop()
        state = dynamics(arm.q, arm.dq)
        fastest.append(float(np.linalg.norm(state.velocity)))
        command = guarded.cycle(k * MS, arm.q, arm.dq)
        shove = state.J[1] * (40.0 if 450 <= k < 650 else 0.0)
        arm.step(command.driver_torque + state.g + shove)
    assert 0.1 < max(fastest) < 0.6
    assert max(fastest[1500:]) < 0.03 and not guarded.latched


# --- what is measured against what is commanded -------------------------------------------------


@pytest.mark.parametrize(("interface", "gain"), [("velocity", 1.2), ("position", 1.2)])
def test_a_driver_with_a_gain_is_noticed_within_50_ms(panda, far, interface, gain):
    """A velocity driver that moved 1.5 times what was commanded hit at twice the bound."""
    controller = ImpactController(
        panda, plan_for(far, interface=interface, impact_limits="unaware", speed=0.08)
    )
    dynamics, q, sent = ArmDynamics(panda), np.array(panda.stance), np.zeros(7)
    for k in range(400):
        scale = gain if k >= 300 else 1.0
        command = controller.update(q, scale * sent)
        sent = command.velocity
        q = q + 1e-3 * scale * sent
        if controller.refused:
            break
    assert 300 < k <= 350
    assert controller.refused.startswith("the contact point moves at 0.0")
    assert dynamics(q, sent).position is not None


def test_an_arm_that_obeys_is_not_stopped(far):
    """Neither while it speeds up, nor while it slows down with a lag of 20 ms."""
    watch, lagging = TrackingWatch(VelocityInterface, 1e-3), 0.0
    place = np.zeros(3)
    watch.reset(0.0)
    for k in range(2000):
        commanded = 0.1 * min(1.0, k / 50) if k < 1000 else 0.1 * max(0.0, 1.0 - (k - 1000) / 25)
        lagging += (commanded - lagging) / 20.0
        place = place + np.array([1e-3 * lagging, 0.0, 0.0])
        assert watch.problem(place, np.array([commanded, 0.0, 0.0])) == ""


# --- a jump is not forgotten --------------------------------------------------------------------


def test_exchanged_joints_are_not_trusted_after_a_while(panda, far):
    """After fifty states they were, and the arm was driven with the wrong joints at 1.7 m/s."""
    guarded = GuardedController(ImpactController(panda, plan_for(far, impact_limits="robust")))
    q = np.array(panda.stance) + np.array([0.4, 0.2, -0.4, 0.0, 0.1, 0.0, -0.2])
    for k in range(100):
        guarded.cycle(k * MS, q, np.zeros(7))
    exchanged = q[[2, 1, 0, 3, 4, 5, 6]]
    for k in (100, 101):
        with pytest.raises(ControlError, match="moved by"):
            guarded.cycle(k * MS, exchanged, np.zeros(7))
    answers = [guarded.cycle(k * MS, exchanged, np.zeros(7)) for k in range(102, 400)]
    assert set(answers) == {None}
    assert guarded.latched and guarded.fault.startswith("implausible joint states: ")
