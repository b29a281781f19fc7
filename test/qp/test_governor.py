# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The governor slows commands down, never steers them, and rests when it cannot trust them."""

import numpy as np
import pytest

from impact_qp import Contact, ControlError
from impact_qp.governor import Governor, MeasuredState
from impact_qp.guards.takeover import allowed_speed
from impact_robots import ArmDynamics
from impact_trials.in_process.touch_trial import servoed

MS = 1_000_000  # [ns]
INTERFACES = ("velocity", "position", "twist")


@pytest.fixture
def start(panda, scenario):
    return scenario.start(panda)


@pytest.fixture
def towards(panda, contact, start):
    """Joint velocities that move the contact point at 0.5 m/s towards the wall, (7,)."""
    J = ArmDynamics(panda)(start, np.zeros(7)).J
    return np.linalg.pinv(J) @ np.append(-0.5 * contact.normal, np.zeros(3))


@pytest.fixture
def near(contact, panda, start):
    """The wall, two centimetres ahead."""
    place = ArmDynamics(panda).position(start) - 0.02 * contact.normal
    return Contact(place, contact.normal)


def settled(governor, state, command, cycles=200):
    """Give a command until the factor has risen; return what is sent then, and the state."""
    for k in range(cycles):
        now = state._replace(time=state.time + 4 * k * MS)
        capped = governor.cap(now, command)
    return capped, now


@pytest.mark.parametrize("interface", INTERFACES)
def test_a_foreign_controller_hits_within_the_bound_and_near_it(panda, foreign, interface):
    random = np.random.default_rng(1)
    found = [foreign.drawn_contact(panda, interface, random) for _ in range(4)]
    found = [each for each in found if each is not None]
    assert len(found) >= 3
    assert all(each.speed <= each.bound for each in found)
    assert np.median([each.speed / each.bound for each in found]) > 0.8
    assert all(each.fastest <= foreign.ANYWHERE for each in found)
    assert max(each.fastest / each.bound for each in found) > 1.5  # faster, away from the wall


def test_without_a_governor_it_hits_faster_than_the_bound(panda, foreign):
    class Nothing:
        def cap(self, _state, command):
            return foreign.Capped(command, 1.0, np.nan, "")

    random = np.random.default_rng(1)
    arm = foreign.drawn_arm(panda, "velocity", random)
    controller = foreign.ForeignController("velocity", -arm.walls[0].normal, random)
    next(1 for _ in foreign.driven(arm, Nothing(), controller) if arm.hits)
    (wall, state), *_ = arm.hits
    assert -wall.normal @ state.velocity > 0.3


def test_commands_are_scaled_and_not_steered(panda, contact, random_states):
    factors = []
    for point in random_states(50, speed=0.0):
        governor = Governor(panda, {"wall": contact})
        random = np.random.default_rng(0)
        command = random.standard_normal(7)
        capped, _ = settled(governor, MeasuredState(1, point.q, np.zeros(7)), command, 120)
        assert capped.rests or np.allclose(capped.values, capped.factor * command)
        assert 0.0 <= capped.factor <= 1.0
        assert (capped.reason == "") == (capped.factor == 1.0)
        factors.append(capped.factor)
    assert 0.0 < np.median(factors) < 1.0


def test_joints_stay_below_their_limits_by_what_a_driver_may_be_faster(panda, start):
    governor = Governor(panda, {}, anywhere_speed=5.0)
    command = np.zeros(7)
    command[0] = panda.limits.velocity[0]
    capped, _ = settled(governor, MeasuredState(1, start, np.zeros(7)), command)
    assert capped.factor == pytest.approx(1.0 / 1.08)
    assert capped.reason == "panda_joint1 velocity"


def test_a_position_is_a_step_towards_the_command(panda, start, towards):
    governor = Governor(panda, {}, interface="position")
    first = governor.cap(MeasuredState(MS, start, np.zeros(7)), start + 0.1 * towards)
    assert first.factor == 0.0 and np.allclose(first.values, start)
    way = [first.values]
    for k in range(1, 20):
        now = MeasuredState(MS + 4 * k * MS, way[-1], np.zeros(7))
        capped = governor.cap(now, start + 0.1 * towards)
        way.append(capped.values)
    steps = np.diff(way, axis=0)
    lengths = np.linalg.norm(steps, axis=1)
    assert lengths[-1] > 0.0
    assert np.allclose(steps, np.outer(lengths, towards / np.linalg.norm(towards)))


def test_two_positions_at_one_time_are_one_step(panda, start, towards):
    governor = Governor(panda, {}, interface="position")
    state = MeasuredState(1, start, np.zeros(7))
    _, now = settled(governor, state, start + 0.01 * towards, 20)
    now = now._replace(time=now.time + 4 * MS)
    once, again = (governor.cap(now, start + 0.01 * towards).values for _ in range(2))
    assert np.array_equal(once, again)


def test_a_blocked_arm_is_not_led_further(panda, start, towards):
    governor = Governor(panda, {}, interface="position")
    for k in range(2000):
        now = MeasuredState(MS + 4 * k * MS, start, np.zeros(7))
        capped = governor.cap(now, start + 0.5 * towards)
    lead = np.abs(capped.values - start)
    assert np.all(lead <= 0.035 * panda.limits.velocity + 1e-12) and lead.max() > 1e-3
    assert "distance to the measured position" in capped.reason


def test_nothing_moves_faster_than_anywhere_speed(panda, random_states):
    random = np.random.default_rng(2)
    frames = (None, *panda.joint_names)
    for point in random_states(30, speed=0.0):
        governor = Governor(panda, {}, anywhere_speed=0.2)
        capped, _ = settled(
            governor, MeasuredState(1, point.q, np.zeros(7)), 3.0 * random.standard_normal(7), 130
        )
        at = point.robot_state.at
        fastest = max(np.linalg.norm(at(frame).J[:3] @ capped.values) for frame in frames)
        assert fastest <= 0.2 and (capped.rests or fastest > 0.05)
        assert np.all(np.abs(capped.values) <= panda.limits.velocity)


def test_a_wall_does_not_slow_what_leaves_it(panda, near, start, towards):
    governor = Governor(panda, {"wall": near}, anywhere_speed=10.0)
    state = MeasuredState(1, start, np.zeros(7))
    capped, _ = settled(governor, state, towards)
    assert 0.0 < capped.factor < 0.5 and capped.reason.startswith("surface wall: panda_joint6 ")
    governor.reset()
    assert settled(governor, state, -towards)[0].factor == 1.0


def test_an_older_state_leaves_less_way(panda, contact, start, towards):
    factors = []
    for age in (0, 20, 60):
        governor = Governor(panda, {"wall": contact}, anywhere_speed=10.0)
        for k in range(200):
            now = MeasuredState(1 + 4 * k * MS, start, np.zeros(7))
            capped = governor.cap(now, towards, time=now.time + age * MS)
        factors.append(capped.factor)
    assert factors[0] > factors[1] > factors[2] > 0.0


def test_an_arm_that_is_too_fast_already_is_sent_zero(panda, near, start, towards):
    governor = Governor(panda, {"wall": near}, anywhere_speed=10.0)
    capped, now = settled(governor, MeasuredState(1, start, np.zeros(7)), 0.1 * towards)
    assert capped.factor == 1.0
    capped = governor.cap(MeasuredState(now.time + 4 * MS, start, 1.5 * towards), 0.1 * towards)
    assert capped.factor == 0.0 and capped.reason == "surface wall: measured 0.750 m/s"
    assert capped.normal_speed == pytest.approx(-0.75)


@pytest.mark.parametrize("interface", INTERFACES)
def test_a_command_that_is_no_number_rests(panda, start, interface):
    governor = Governor(panda, {}, interface=interface)
    shape = 6 if interface == "twist" else 7
    good = start + 0.01 if interface == "position" else np.full(shape, 0.05)
    before, now = settled(governor, MeasuredState(1, start, np.zeros(7)), good, 20)
    bad = governor.cap(now._replace(time=now.time + 4 * MS), np.full(shape, np.nan))
    assert bad.rests and bad.reason == "command: not finite"
    assert np.array_equal(bad.values, before.values if interface == "position" else np.zeros(shape))
    again = governor.cap(now._replace(time=now.time + 8 * MS), good)
    assert not again.rests and again.factor < before.factor  # speed comes back slowly


def test_states_that_cannot_be_used_rest(panda, start):
    governor, command = Governor(panda, {}), np.full(7, 0.05)
    _, now = settled(governor, MeasuredState(1, start, np.zeros(7)), command, 20)
    for bad, why in (
        (now._replace(time=now.time - MS), "state: time went back"),
        (MeasuredState(now.time + 4 * MS, start[:6], np.zeros(6)), "state: expected 7 positions"),
        (MeasuredState(now.time + 8 * MS, np.full(7, np.nan), np.zeros(7)), "not finite"),
    ):
        capped = governor.cap(bad, command)
        assert capped.rests and not capped.values.any() and why in capped.reason


def test_a_jump_is_a_fault_until_reset(panda, start):
    governor, command = Governor(panda, {}), np.full(7, 0.05)
    _, now = settled(governor, MeasuredState(1, start, np.zeros(7)), command, 20)
    for k in range(1, 60):
        jumped = MeasuredState(now.time + 4 * k * MS, start[::-1].copy(), np.zeros(7))
        assert governor.cap(jumped, command).rests
    assert "implausible joint states" in governor.fault
    governor.reset()
    assert not settled(governor, MeasuredState(1, start, np.zeros(7)), command, 20)[0].rests


def test_positions_begin_anew_after_a_silence(panda, start):
    governor = Governor(panda, {}, interface="position")
    _, now = settled(governor, MeasuredState(1, start, np.zeros(7)), start + 0.01, 50)
    sent = governor.cap(now, start + 0.01).values
    near = MeasuredState(now.time + 300 * MS, start + 0.02, np.zeros(7))
    assert np.array_equal(governor.cap(near, start).values, sent)  # no step back
    elsewhere = MeasuredState(near.time + 300 * MS, start + 0.2, np.zeros(7))
    assert np.array_equal(governor.cap(elsewhere, start).values, elsewhere.q)


def test_fast_commands_with_slow_states_are_no_fault(panda, start, towards):
    governor, q = Governor(panda, {}), start
    for k in range(300):  # commands every 2 ms, states every 10 ms
        if k % 5 == 0:
            state = MeasuredState(MS + 2 * k * MS, q, np.zeros(7))
        capped = governor.cap(state, towards, time=MS + 2 * k * MS)
        q = q + 0.002 * capped.values
    assert not governor.fault and capped.factor > 0.1


def test_a_driver_that_is_much_faster_than_commanded_is_a_fault(panda, foreign):
    random = np.random.default_rng(3)
    arm = foreign.drawn_arm(panda, "velocity", random)
    arm.gain, arm.walls = 2.0, []
    governor = Governor(panda, {}, anywhere_speed=0.1)
    controller = foreign.ForeignController("velocity", np.array([1.0, 0.0, 0.0]), random)
    capped = next(
        each for each in foreign.driven(arm, governor, controller) if governor.fault or arm.hits
    )
    assert "commanded were" in governor.fault and capped.rests
    assert np.linalg.norm(arm.state.velocity) < 0.2


def test_the_bound_of_joint_load_is_known_after_some_states(panda, near, start, towards):
    governor = Governor(servoed(panda), {"wall": near}, interface="position")
    assert governor.limits_name == "joint_load"
    bounds = []
    for k in range(400):
        state = MeasuredState(1 + 4 * k * MS, start, np.zeros(7))
        bounds.append(governor.cap(state, start + 0.01 * towards).bound)
        governor.catch_up()
    point = ArmDynamics(servoed(panda))(start, np.zeros(7))
    assert bounds[0] == 0.0
    assert bounds[-1] == pytest.approx(
        min(governor.limit("wall").speed_bound(point).speed, 0.1), rel=0.05
    )


def test_a_surface_behind_the_arm_is_refused(panda, contact, start):
    behind = Contact(contact.point, -contact.normal)
    state = MeasuredState(1, start, np.zeros(7))
    assert not Governor(panda, {"wall": contact}).refusal(state)
    assert "surface wall: contact: expected a surface in front" in Governor(
        panda, {"wall": behind}
    ).refusal(state)


def test_allowed_speed_comes_down_to_the_bound_in_time():
    for bound, gap, slowing, delay in ((0.1, 0.2, 1.0, 0.05), (0.0, 0.01, 5.0, 0.02)):
        speed = allowed_speed(bound, gap, slowing, delay)
        assert speed > bound
        assert speed * delay + (speed**2 - bound**2) / (2 * slowing) == pytest.approx(gap)
    assert allowed_speed(0.1, -0.01, 1.0, 0.05) == 0.1
    assert allowed_speed(-0.1, 0.0, 1.0, 0.05) == 0.0


@pytest.mark.parametrize(
    ("interface", "gain"),
    [("velocity", 1.0), ("velocity", 1.08), ("position", 1.0), ("twist", 1.0), ("twist", 1.08)],
)
@pytest.mark.parametrize(("delay", "anywhere"), [(0.05, 0.1), (0.1, 0.6), (0.3, 0.3)])
def test_commands_that_come_as_late_as_announced_are_no_hit_above_the_bound(
    panda, interface, gain, delay, anywhere
):
    """``gain``: of the driver, up to what a driver may be faster than it is told."""
    period, q, away = 4e-3, np.array(panda.stance), np.array([-1.0, 0.0, 0.0])
    dynamics, late = ArmDynamics(panda), round(delay / period)
    wall = Contact(dynamics.position(q) - 0.12 * away, away, (0.0, 0.3), (0.0, 0.3))
    governor = Governor(
        panda, {"wall": wall}, interface=interface, delay=delay, anywhere_speed=anywhere
    )
    still, wanted = np.zeros(7), q.copy()
    under_way, dq = [q if interface == "position" else still] * late, still
    for k in range(1, 4000):
        point = dynamics(q, dq)
        if wall.gap(point.position) <= 0.0:
            break
        ahead = np.linalg.pinv(point.J) @ np.append(-away, still[:3])
        wanted = wanted + period * ahead
        twist = np.append(-away, still[:3])
        command = {"velocity": ahead, "position": wanted, "twist": twist}[interface]
        capped = governor.cap(MeasuredState(k * round(1e9 * period), q, dq), command)
        assert not governor.fault
        under_way.append(capped.values)
        sent = under_way.pop(0)
        if interface == "twist":
            dq = np.linalg.pinv(point.J) @ sent if np.any(sent) else still
        else:
            dq = sent if interface == "velocity" else (sent - q) / period
        dq = gain * dq
        q = q + period * dq
    bound = governor.limit("wall").speed_bound(dynamics(q, still)).speed
    assert 0.7 * bound < wall.approach_speed(point.velocity) < bound


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"interface": "torque"}, "interface: expected one of velocity, position, twist"),
        ({"anywhere_speed": 0.0}, "anywhere_speed: expected above 0, to 10, got 0"),
        ({"braking": float("nan")}, "braking: expected above 0, to 1, got nan"),
        ({"delay": -1.0}, "delay: expected 0 to 1 s, got -1"),
        ({"impact_limits": "unaware"}, "impact_limits: expected one of auto"),
        ({"interface": "twist", "twist_frame": "hand"}, "twist_frame: no frame 'hand'"),
    ],
)
def test_wrong_settings(panda, changes, line):
    with pytest.raises(ControlError, match=f"^{line}"):
        Governor(panda, {}, **changes)
