# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The adversary's classes: what is judged in every phase, on a clock that the world moves."""

import sys
import time
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("rclpy")

from impact_robots import ArmDynamics, Surface, load_robot

pytestmark = pytest.mark.usefixtures("benchmarks")
AT_LEAST = {
    "goal_sequences": 300,
    "moved_while_idle": 60,
    "payloads": 20,
    "wrong_geometry": 40,
    "obstacles": 40,
    "parameter_pairs": 100,
    "two_arm_clocks": 20,
    "humanoid_starts": 40,
    "gains": 20,
    "stale_evidence": 20,
    "mixed": 48,
    "touches": 30,
    "governor": 60,
}


@pytest.fixture
def rig():
    """A rig without a node: an arm that the test moves, and its checks."""
    from adversary_arm import SimulatedArm
    from adversary_moves import MoveChecks, contact_of
    from adversary_rig import settings

    values = settings()
    robot = load_robot("panda")
    wall = Surface(values["contact_point"], values["contact_normal"])
    made = SimpleNamespace(
        arm=SimulatedArm(robot, "velocity", wall),
        interface="velocity",
        period=0.004,
        settings=values,
        now=1000.0,
        normal=wall.normal,
        contact=contact_of(values),
        announced=True,
    )
    made.checks = MoveChecks(made)
    made.checks.let_go()
    return made


def moving(rig, twist, seconds):
    """Let the contact point move with a velocity [m/s] for a time [s]; return what it breaks."""
    for _ in range(round(seconds / 0.01)):
        rig.now += 0.01
        arm = rig.arm
        dq = np.linalg.pinv(arm.state.J) @ np.append(twist, np.zeros(3))
        arm.reset(arm.q + 0.01 * dq, dq)
        rig.checks.judge_arm()
    return set(rig.checks.broken)


def test_a_touch_that_breaks_its_promise_is_too_fast_or_does_not_rest_is_noticed():
    from adversary_touches import drawn_case, what_broke

    from impact_trials.in_process.touch_trial import run_touch

    drawn = drawn_case(0, 0)
    trial = run_touch(drawn)
    assert what_broke(drawn, trial) == []
    for changes, word in (
        ({"peak": 1.01 * trial.result.promised}, "promise"),
        ({"fastest": 0.3}, "speed cap"),
        ({"speed": 0.02}, "rest"),
    ):
        (said,) = what_broke(drawn, trial._replace(**changes))
        assert said.startswith(word)


class Unruly:
    """A governor that breaks one promise: wrapped around what the real one sends."""

    def __init__(self, change):
        self._change = change

    def patch(self, monkeypatch):
        from impact_qp.governor import Governor

        real, change = Governor.cap, self._change

        def cap(governor, state, command, **options):
            return change(real(governor, state, command, **options), np.asarray(command))

        monkeypatch.setattr(Governor, "cap", cap)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lambda capped, command: capped._replace(values=capped.values + 1e-3), "steered"),
        (lambda capped, command: capped._replace(values=command), "speed"),
        (lambda capped, command: capped._replace(values=-capped.values), "steered"),
        (lambda capped, command: capped._replace(values=0.0 * capped.values), "passed on"),
    ],
    ids=["another direction", "not slowed", "turned round", "nothing"],
)
def test_a_governor_that_steers_or_does_not_slow_down_is_found(monkeypatch, change, word):
    import adversary_governor

    Unruly(change).patch(monkeypatch)
    monkeypatch.setattr(adversary_governor.Attack, "_happens", lambda self: None)
    assert word in adversary_governor.case(0, 0)


def test_a_governor_that_passes_velocities_on_in_silence_is_found(monkeypatch):
    import adversary_governor

    from impact_qp.governor.node import ImpactGovernorNode

    monkeypatch.setattr(adversary_governor.Attack, "_happens", lambda self: None)
    assert adversary_governor.case(0, 0) == ""
    monkeypatch.setattr(ImpactGovernorNode, "_look", lambda self: None)
    assert "silence: of commands" in adversary_governor.case(0, 0)


def test_each_class_is_large_enough_also_in_the_short_form():
    import adversary_classes

    for name, least in AT_LEAST.items():
        assert adversary_classes.KINDS[name].quick >= least
        assert adversary_classes.KINDS[name].whole > adversary_classes.KINDS[name].quick
        parts = [part for part in adversary_classes.parts(True) if part[0] == name]
        assert sum(count for _, _, count in parts) == adversary_classes.KINDS[name].quick


def test_an_arm_that_stands_breaks_nothing(rig):
    assert not moving(rig, np.zeros(3), 4.0)


def test_an_approach_that_nobody_asked_for_is_found(rig):
    assert "nobody asked" in moving(rig, -0.05 * rig.normal, 1.5)


def test_an_approach_that_was_asked_for_is_not(rig):
    rig.checks.activated(approach=True)
    assert not moving(rig, -0.05 * rig.normal, 1.5)


def test_an_approach_that_goes_on_without_its_goal_is_found(rig):
    rig.checks.activated(approach=False)
    rig.checks.goals.append(0)
    assert not moving(rig, -0.05 * rig.normal, 0.6)
    rig.checks.goals.clear()
    assert moving(rig, -0.05 * rig.normal, 0.6) == {"nobody asked"}


def test_an_arm_that_does_not_come_to_rest_is_found(rig):
    assert moving(rig, 0.05 * rig.normal, 3.0) == {"rest"}


def test_a_motion_above_the_cap_is_found_in_every_direction(rig):
    assert "speed cap" in moving(rig, [0.0, 0.0, 0.3], 0.8)


def test_a_motion_that_somebody_else_makes_is_not_judged(rig):
    rig.checks.taken()
    assert not moving(rig, [0.0, 0.0, 0.3], 0.8)


def test_an_inactive_node_that_goes_on_sending_is_found(rig):
    rig.checks.activated(approach=False)
    rig.checks.deactivated()
    rig.now += 1.0
    rig.checks.judge_command(np.zeros(7))
    assert not rig.checks.broken
    rig.now += 1.5
    rig.checks.judge_command(np.zeros(7))
    assert "silent" in rig.checks.broken


@pytest.mark.parametrize(("share", "found"), [(0.9, set()), (1.3, {"contact speed"})])
def test_a_hit_above_what_is_safe_is_found(rig, share, found):
    from adversary_moves import rigid_bound

    arm, rig.now = rig.arm, rig.now + 1.0
    bound = rigid_bound(arm.robot, rig.contact, rig.normal, arm.state)
    twist = np.append(-share * bound * rig.normal, np.zeros(3))
    hit = ArmDynamics(arm.robot)(arm.q, np.linalg.pinv(arm.state.J) @ twist)
    arm.hits.append((arm.walls[0], hit))
    rig.checks.judge_arm()
    assert set(rig.checks.broken) == found


def test_a_hit_is_judged_by_the_limits_in_use(rig):
    from adversary_moves import rigid_bound

    q, normal = rig.arm.state, rig.normal
    robust = rigid_bound(rig.arm.robot, rig.contact, normal, q)
    loads = {"kind": "joint_load", "stiffness": (1e5, np.inf)}
    assert rigid_bound(rig.arm.robot, rig.contact, normal, q, loads) != pytest.approx(robust, 0.05)


def test_a_load_beside_the_contact_point_turns_it_too():
    from adversary_arm import SimulatedArm

    accelerations = []
    for beside in (0.0, 0.1):
        arm = SimulatedArm(load_robot("panda"), "torque")
        arm.payload, arm.payload_at = 1.0, np.array([0.0, beside, 0.0])
        arm.step(np.zeros(7), 1e-3)
        accelerations.append(1e3 * arm.dq)
    assert np.abs(accelerations[1] - accelerations[0]).max() > 0.5


def test_a_load_pulls_an_arm_down_and_a_gain_moves_it_farther():
    from adversary_arm import SimulatedArm

    robot = load_robot("panda")
    arm = SimulatedArm(robot, "torque")
    height, arm.payload = arm.state.position[2], 1.0
    for _ in range(200):
        arm.step(np.zeros(7), 1e-3)
    assert arm.state.position[2] < height - 0.02
    ways = []
    for gain in (1.0, 1.5):
        moved = SimulatedArm(robot, "velocity")
        moved.gain = gain
        for _ in range(200):
            moved.step(np.full(7, 0.1), 1e-3)
        ways.append(moved.q - robot.stance)
    np.testing.assert_allclose(ways[1], 1.5 * ways[0])


def test_who_sleeps_on_the_virtual_clock_lets_the_world_move_on():
    from adversary_host import VirtualClock

    clock, slept = VirtualClock(), []
    clock.passing = lambda seconds: (slept.append(seconds), clock.pass_by(seconds))
    with clock.installed():
        before = time.monotonic()
        time.sleep(3600.0)
        assert time.monotonic() - before == pytest.approx(3600.0)
    assert slept == [3600.0]
    assert abs(time.monotonic() - before) > 1.0  # the real one is back


def test_failures_are_counted_and_say_how_to_run_them_again(monkeypatch):
    import adversary_classes

    module = ModuleType("odd_numbers")
    module.case = lambda seed, number: "odd" * (number % 2)
    monkeypatch.setitem(sys.modules, "odd_numbers", module)
    kind = adversary_classes.Kind("odd_numbers", "case", 5, 9, 2)
    monkeypatch.setitem(adversary_classes.KINDS, "odd", kind)
    tried, failed, told = adversary_classes.campaign("odd", 2, 3, 7)
    assert (tried, failed, told) == (3, 1, ["odd 7 3: odd"])
    module.case = lambda seed, number: 1 / 0
    assert adversary_classes.campaign("odd", 0, 1, 7)[2] == [
        "odd 7 0: raised ZeroDivisionError: division by zero"
    ]


def test_a_series_counts_itself(monkeypatch):
    import adversary_classes

    module = ModuleType("series")
    module.campaign = lambda count, seed: (count, 1, [f"{seed}"])
    monkeypatch.setitem(sys.modules, "series", module)
    kind = adversary_classes.Kind("series", "campaign", 5, 9, 5, series=True)
    monkeypatch.setitem(adversary_classes.KINDS, "series", kind)
    assert adversary_classes.campaign("series", 0, 5) == (5, 1, ["0"])
