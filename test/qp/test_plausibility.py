# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""States that cannot be the arm's do not reach the controller; those of real arms do."""

from dataclasses import replace

import numpy as np
import pytest

from impact_qp.guards.plausibility import StateGate

MS = 1_000_000  # [ns]
HOME = np.array([0.0, -0.4, 0.1, -2.0, 0.2, 1.8, 0.5])


def stream(count, *, speed=0.2, start=0):
    """A joint motion sampled once a millisecond."""
    for k in range(start, start + count):
        t = k * 1e-3
        yield k * MS, HOME + speed * np.sin(t) * np.ones(7), speed * np.cos(t) * np.ones(7)


def settled(panda):
    gate = StateGate(panda)
    for sample in stream(20):
        assert not gate.check(*sample).problem
    return gate


def spoilt(q, dq, what):
    """Return what a broken driver makes of a state."""
    q, dq = q.copy(), dq.copy()
    if what == "degrees":
        q = np.degrees(q)
    elif what == "zeros":
        q, dq = np.zeros(7), np.zeros(7)
    elif what == "one turn":
        q[0] += 2.0 * np.pi
    elif what == "another arm":
        q = q + 0.05
    elif what == "beyond the limits":
        q[3] = 0.3
    elif what == "too fast":
        dq[2] = 44.0
    elif what == "nan":
        dq[5] = np.nan
    return q, dq


BROKEN = ["degrees", "zeros", "one turn", "another arm", "beyond the limits", "too fast", "nan"]


def test_a_caller_may_write_into_its_arrays(panda):
    """Each state was compared with itself, and exchanged joints passed."""
    gate, q, dq = StateGate(panda), np.empty(7), np.empty(7)
    for time, *state in stream(20):
        q[:], dq[:] = state
        assert not gate.check(time, q, dq).problem
    q[[0, 1]] = q[[1, 0]]
    assert "moved by" in gate.check(20 * MS, q, dq).problem


@pytest.mark.parametrize("what", BROKEN)
def test_one_or_two_are_passed_over_and_more_are_a_fault(panda, what):
    gate = settled(panda)
    findings = []
    for time, q, dq in stream(5, start=20):
        findings.append(gate.check(time, *spoilt(q, dq, what)))
    assert all(finding.problem for finding in findings[:3])
    assert [finding.fault for finding in findings[:3]] == [False, False, True]


@pytest.mark.parametrize("what", BROKEN)
@pytest.mark.parametrize("count", [1, 2])
def test_the_states_after_them_pass(panda, what, count):
    gate = settled(panda)
    for time, q, dq in stream(count, start=20):
        assert gate.check(time, *spoilt(q, dq, what)).problem
    assert not any(gate.check(*sample).problem for sample in stream(200, start=20 + count))


@pytest.mark.parametrize("what", BROKEN)
def test_two_publishers_are_a_fault_although_every_other_state_is_good(panda, what):
    gate = settled(panda)
    faults = []
    for time, q, dq in stream(10, start=20):
        faults.append(gate.check(time, q, dq).fault)
        faults.append(gate.check(time + MS // 2, *spoilt(q, dq, what)).fault)
    assert any(faults)


def test_a_driver_that_is_not_ready_is_not_trusted_from_the_first_state_on(panda):
    gate = StateGate(panda)
    finding = gate.check(0, np.zeros(7), np.zeros(7))
    assert finding.problem == "all positions are exactly zero: the driver is not ready"


@pytest.mark.parametrize("factor", [0.0, -1.0])
def test_velocities_that_are_not_those_of_the_positions_are_a_fault(panda, factor):
    gate = StateGate(panda)
    faults = [gate.check(t, q, factor * dq).fault for t, q, dq in stream(300, speed=0.5)]
    assert any(faults)


def test_after_a_fault_a_sound_stream_is_trusted_again_after_some_time(panda):
    gate = settled(panda)
    for time, q, dq in stream(6, start=20):
        gate.check(time, *spoilt(q, dq, "another arm"))
    findings = [gate.check(*sample) for sample in stream(300, start=26)]
    assert all(finding.fault for finding in findings[:50])  # the way back is a jump too
    assert not any(finding.problem for finding in findings[60:])


def test_two_arms_that_take_turns_are_never_trusted(panda):
    """Also when each speaks for a while: its states agree with each other."""
    gate, random = settled(panda), np.random.default_rng(3)
    believed, other, k = 0, False, 20
    while k < 3000:
        for sample in stream(int(random.integers(1, 20)), start=k):
            time, q, dq = sample
            finding = gate.check(time, *(spoilt(q, dq, "another arm") if other else (q, dq)))
            believed += k > 100 and not finding.problem
            k += 1
        other = not other
    assert believed == 0


def test_a_clock_that_runs_back_starts_anew(panda):
    gate = settled(panda)
    moved = HOME + 0.3
    assert not gate.check(5 * MS, moved, np.zeros(7)).problem


def test_a_pause_lets_the_arm_have_moved(panda):
    gate = settled(panda)
    assert not gate.check(1000 * MS, HOME + 0.5, np.zeros(7)).problem


def test_a_velocity_jump_of_an_impact_is_plausible(panda):
    gate, q = settled(panda), HOME + 0.2 * np.sin(0.019)
    dq = np.full(7, 0.2)
    for k in range(20, 400):
        if k == 100:
            dq = -1.5 * dq
        q = q + 1e-3 * dq
        lagging = np.full(7, 0.2) if k < 105 else dq  # a sensor that is 5 ms late
        assert not gate.check(k * MS, q, lagging, impact=100 <= k < 140).problem


def test_the_motion_of_a_real_arm_is_plausible(panda, shared_data):
    path = shared_data / "real" / "panda_free_motion.csv"
    if not path.is_file():
        pytest.skip(f"no {path.name} in the data")
    rows = np.loadtxt(path, delimiter=",", skiprows=1)
    gate = StateGate(panda)
    for row in rows:
        assert gate.check(round(row[0] * 1e9), row[1:8], row[8:15]).problem == ""


def test_the_units_of_the_limits_are_the_robots(panda):
    """A robot with wider limits takes what the Panda does not."""
    wide = replace(panda, limits=replace(panda.limits, position_upper=np.full(7, 10.0)))
    q = HOME + np.array([0, 0, 0, 5.0, 0, 0, 0])
    assert StateGate(panda).check(0, q, np.zeros(7)).problem
    assert not StateGate(wide).check(0, q, np.zeros(7)).problem
