# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""An arm counts as blocked when it is much slower than it should be, and for as long as it is."""

from dataclasses import replace
from math import inf, nan

import numpy as np
import pytest

from impact_qp import ImpactController, Phase, Plan
from impact_qp.guards.stall import HELD_BACK, HeldBackWatch, StallWatch
from impact_qp.interface import LEAD
from impact_sim import PANDA_NOISE, Simulation

PERIOD, STALL_TIME = 1e-3, 0.1  # [s]


@pytest.fixture
def watch():
    return StallWatch(PERIOD, STALL_TIME)


def go(watch, speed, reference, bound, cycles=101, start=0.0):
    """Let an arm go at a speed from ``start`` on [m]; return where it is."""
    for k in range(cycles):
        watch.update(start + k * PERIOD * speed, reference, bound)
    return start + cycles * PERIOD * speed


@pytest.mark.parametrize(
    ("speed", "reference", "bound", "blocked"),
    [
        (0.1, 0.1, inf, False),
        (0.02, 0.1, inf, True),
        (0.02, 0.5, 0.03, False),  # at the bound of the impact limit
        (0.0, 0.5, 0.03, True),
        (0.0, 0.5, -0.01, False),  # must not move at all
        (-1e-4, 0.5, 0.0, False),  # waits until its bound is known, and drifts
        (0.0, 0.0, inf, False),  # nothing is asked for
        (0.004, 0.5, nan, False),  # no bound in closed form: what the arm did so far
        (0.001, 0.5, nan, True),
    ],
)
def test_what_counts_as_blocked(watch, speed, reference, bound, blocked):
    go(watch, speed, reference, bound)
    assert watch.time == pytest.approx(0.1 if blocked else 0.0)


def test_moving_ends_it_and_a_new_phase_begins_anew(watch):
    way = go(watch, 0.0, 0.1, inf)
    assert watch.time > 0.0
    way = go(watch, 0.1, 0.1, inf, cycles=10, start=way)
    assert watch.time == 0.0
    go(watch, 0.0, 0.1, inf, start=way)
    watch.reset()
    assert watch.time == 0.0
    go(watch, 0.003, 0.5, nan)  # the speed of the phase before does not count
    assert watch.time == 0.0


def test_an_arm_that_stops_is_blocked_about_the_stall_time_later(watch):
    way = go(watch, 0.1, 0.1, inf, cycles=500)
    cycles = 0
    while watch.time < STALL_TIME and cycles < 1000:
        watch.update(way, 0.1, inf)
        cycles += 1
    assert 0.1 < cycles * PERIOD < 0.13


def test_an_arm_that_follows_the_ramp_late_is_not_blocked(watch):
    """A position-controlled arm lags by 33 ms."""
    longest = 0.0
    for k in range(300):
        t = k * PERIOD
        watch.update(0.5 * max(0.0, t - 0.033) ** 2, t, inf)
        longest = max(longest, watch.time)
    assert longest < 0.7 * STALL_TIME and watch.time == 0.0


def test_an_arm_that_has_to_turn_first_is_not_blocked_but_one_that_is_pushed_back_is(watch):
    """A retraction from 0.3 m/s was called blocked while the arm was still slowing down."""
    way = 0.0
    for k in range(200):
        way += PERIOD * min(4.0 * k * PERIOD - 0.3, 0.1)
        watch.update(way, min(4.0 * k * PERIOD, 0.1), inf)
        assert watch.time < 0.3 * STALL_TIME
    go(watch, -0.3, 0.1, inf, start=way)
    assert watch.time > 0.7 * STALL_TIME


@pytest.mark.parametrize("seed", range(20))
def test_noise_of_positions_neither_hides_a_stall_nor_makes_one(watch, seed):
    """1e-5 rad in each joint of a metre is at most 3e-5 m of the contact point."""
    noise = 1e-5 * np.random.default_rng(seed).standard_normal(2000)
    for k in range(1000):
        watch.update(0.01 * k * PERIOD + noise[k], 0.01, nan if seed % 2 else inf)
        assert watch.time < 0.5 * STALL_TIME
    for k in range(1000, 1140):
        watch.update(0.01 + noise[k], 0.01, nan if seed % 2 else inf)
    assert watch.time >= STALL_TIME


# --- in closed loop, with a Panda's noise ---------------------------------------------------------


def approach(panda, scenario, contact, speed, seed, *, run_up, wall, seconds, **changes):
    """Yield phase, time and whether the plant touches, of an approach that detects nothing."""
    plan = Plan(contact, speed=speed, **changes)
    controller = ImpactController(panda, plan)
    wall = scenario.wall(panda) if wall else None
    simulation = Simulation(panda, wall, noise=PANDA_NOISE, seed=seed)
    measured = simulation.reset(replace(scenario, run_up=run_up).start(panda))
    for _ in range(round(seconds / PERIOD)):
        command = controller.update(measured.q, measured.dq)
        yield command.phase, measured.time, simulation.plant.contact_force.any()
        measured = simulation.step(command.driver_torque)


@pytest.mark.parametrize("limits", ["robust", "existential"])
@pytest.mark.parametrize("speed", [0.02, 0.05])
@pytest.mark.parametrize("seed", range(3))
def test_a_slow_hit_that_was_missed_ends_in_time(panda, scenario, contact, limits, speed, seed):
    """Noise of velocities hid it: arms stayed at the wall for more than 10 s at 0.02 m/s."""
    touch = None
    for phase, time, touches in approach(
        *(panda, scenario, contact, speed, seed),
        **{"run_up": 0.004, "wall": True, "seconds": 1.0, "impact_limits": limits},
    ):
        touch = time if touch is None and touches else touch
        if phase is not Phase.APPROACH:
            break
    assert touch is not None and phase is Phase.RETRACT
    assert 0.9 * STALL_TIME < time - touch < 1.5 * STALL_TIME


@pytest.mark.parametrize("limits", ["robust", "existential"])
@pytest.mark.parametrize("speed", [0.01, 0.02, 0.05, 0.1])
@pytest.mark.parametrize("seed", range(3))
def test_an_arm_that_approaches_freely_is_never_blocked(
    panda, scenario, contact, limits, speed, seed
):
    for phase, time, _ in approach(
        *(panda, scenario, contact, speed, seed),
        **{"run_up": 0.03, "wall": False, "seconds": 0.3, "impact_limits": limits},
    ):
        assert phase is Phase.APPROACH, time


def test_only_a_command_that_is_not_followed_is_held_back():
    followed, blocked, back = np.full(7, 0.1), np.zeros(7), -np.full(7, 0.02)
    for measured, found in ((followed, False), (blocked, True), (back, True)):
        watch = HeldBackWatch()
        cycles = [watch.update(np.full(7, 0.1), measured, PERIOD) for _ in range(400)]
        assert any(cycles) == found and not cycles[round(HELD_BACK / 0.1 / PERIOD) - 1]
    noise = PANDA_NOISE.velocity * np.random.default_rng(0).standard_normal((20_000, 7))
    watch = HeldBackWatch()
    assert not any(watch.update(np.full(7, 0.002), each, PERIOD) for each in noise)


@pytest.mark.parametrize("joint", range(7))
def test_a_held_arm_that_somebody_has_does_not_wind_up_its_drives(panda, contact, joint):
    """Its tool is turned by less than what a hold lets go, and kept there for two seconds."""
    controller = ImpactController(panda, Plan(contact, interface="velocity"))
    controller.stop()
    q, dq = np.array(panda.stance), np.zeros(7)
    q[5] = 2.9  # the wrist is nearly straight: small turns of the tool are large ones of joints
    way, sent = np.zeros(7), []
    for k in range(3000):
        dq[joint] = 0.1 * (500 <= k < 1500)
        q = q + PERIOD * dq
        command = controller.update(q, dq)
        way = way + PERIOD * (command.velocity - way / 2.0)
        sent.append(np.abs(way).max())
    assert command.phase is Phase.HOLD
    assert max(sent) < 0.1


@pytest.mark.parametrize("period", [0.004, 0.01])
@pytest.mark.parametrize("last", [0.11, 0.22])
def test_an_arm_that_somebody_leads_fast_and_stops_is_sent_no_position_beyond_the_lead(
    panda, contact, period, last
):
    controller = ImpactController(panda, Plan(contact, interface="position"), period=period)
    controller.stop()
    q, most = np.array(panda.stance), LEAD * panda.limits.velocity
    ahead = []
    for k in range(round(0.9 / period)):
        since, dq = k * period - 0.3, np.zeros(7)
        dq[1] = 2.1 * min(1.0, since / 0.1) * (0.0 <= since < last)
        q = q + period * dq
        ahead.append((np.abs(controller.update(q, dq).position - q) / most).max())
    assert 0.9 < max(ahead) < 1.01
