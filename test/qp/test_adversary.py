# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The adversary finds what it is there to find: each invariant catches who breaks it."""

import numpy as np
import pytest

from impact_qp import Phase
from impact_robots import ArmDynamics
from impact_robots.exceptions import UsageError

pytestmark = pytest.mark.usefixtures("benchmarks")


@pytest.fixture
def cycles():
    import adversary_cycles

    return adversary_cycles


class Puppet:
    """Sends what it is set to, whatever comes."""

    fault, lost = "", False

    def __init__(self, values, phase=Phase.HOLD):
        self.values, self.phase, self.k = values, phase, 0

    def cycle(self, now, stamp, q, dq, impact, ready):
        from adversary_loop import Sent

        self.k += 1
        return Sent(np.asarray(self.values(self.k, q), dtype=float), self.phase, ())

    def nothing(self, *_):
        pass

    stop = reset = idle = change = nothing


def episode(cycles, interface, loop, *, settles=False, length=600):
    """Return an undisturbed episode of one interface with a puppet for a controller."""
    number = next(
        n
        for n in range(cycles.INTERFACES.index(interface), 3000, 3)
        if quiet(cycles.Episode(0, n), cycles)
    )
    made = cycles.Episode(0, number, loop)
    made.settles, made.length = settles, length
    return made


def quiet(made, cycles):
    """Tell whether nothing disturbs an episode, and robust limits act from its beginning."""
    plan = made.task.plan
    return (
        not made.events
        and made.good
        and plan.impact_limits == "robust"
        and plan.activation_distance > 0.15
        and made.task.wall is None
    )


def broken(cycles, interface, values, **options):
    """Return the invariants that a puppet breaks."""
    phase = options.pop("phase", Phase.HOLD)
    made = episode(cycles, interface, lambda *_: Puppet(values, phase), **options)
    made.run(10**6)
    return set(made.broken)


def test_an_arm_that_is_left_alone_breaks_nothing(cycles):
    assert not broken(cycles, "torque", lambda k, q: 0.0 * q, settles=True)
    assert not broken(cycles, "velocity", lambda k, q: 0.0 * q, settles=True)
    assert not broken(cycles, "position", lambda k, q: q, settles=True, length=50)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("interface", ["torque", "velocity", "position"])
def test_what_is_not_finite_is_found(cycles, interface, bad):
    assert "finite" in broken(cycles, interface, lambda k, q: np.where(k == 50, bad, q), length=60)


def test_torques_above_their_limit_are_found(cycles):
    ramp = lambda k, q: np.eye(7)[6] * 0.9 * k  # noqa: E731
    assert "torque" in broken(cycles, "torque", ramp, length=40)


@pytest.mark.parametrize(
    ("step", "found"),
    [(0.999, set()), (1.0 + 1e-12, {"torque rate, rounding"}), (1.1, {"torque rate"})],
)
def test_torque_rates_are_found_up_to_rounding(cycles, step, found):
    most = 0.99 * np.eye(7)[0]  # in a millisecond, 990 N.m/s
    assert broken(cycles, "torque", lambda k, q: (k % 2) * step * most, length=50) == found


def test_velocities_above_their_limit_are_found(cycles):
    assert "velocity" in broken(cycles, "velocity", lambda k, q: np.full(7, 3.0 + k), length=5)


def test_positions_beyond_their_limit_are_found(cycles):
    assert "position" in broken(cycles, "position", lambda k, q: q + np.eye(7)[3] * 9, length=5)


@pytest.mark.parametrize(
    ("interface", "values"),
    [("velocity", lambda k, q: np.full(7, 0.1)), ("position", lambda k, q: q + 1e-4 * k)],
)
def test_a_command_that_runs_ahead_of_a_blocked_arm_is_found(cycles, interface, values):
    made = episode(cycles, interface, lambda *_: Puppet(values), length=2000)
    made.events = [cycles.Event("blocked arm", 0, 2000)]
    made.run(10**6)
    assert "wind-up" in made.broken


def test_joints_that_run_away_are_found(cycles):
    push = lambda k, q: np.minimum(0.9 * k, 8.0) * np.eye(7)[6]  # noqa: E731
    assert "joint speed" in broken(cycles, "torque", push, length=1000)


def test_an_arm_that_does_not_stop_is_found(cycles):
    assert "rest" in broken(cycles, "velocity", lambda k, q: np.full(7, 0.06), settles=True)


def test_an_arm_that_does_not_stay_is_found(cycles):
    assert "hold" in broken(cycles, "velocity", lambda k, q: np.full(7, 0.03), settles=True)


def test_an_arm_that_goes_on_after_a_fault_is_found(cycles):
    puppet = Puppet(lambda k, q: np.full(7, 0.06))
    puppet.fault = "named"
    made = episode(cycles, "velocity", lambda *_: puppet, length=1600)
    made.run(10**6)
    assert "rest" in made.broken


def test_an_approach_above_the_bound_is_found(cycles):
    def rush(robot, plan, period):
        puppet = Puppet(lambda k, q: dq, Phase.APPROACH)
        J = ArmDynamics(robot)(task.q, task.dq).J[:3]
        dq = np.linalg.pinv(J) @ (-1.0 * plan.contact.rotation[:, 2])
        return puppet

    task = episode(cycles, "velocity", lambda *_: None).task
    made = episode(cycles, "velocity", rush)
    made.run(10**6)
    assert "approach speed" in made.broken


def test_a_controller_that_raises_is_found(cycles):
    assert broken(cycles, "torque", lambda k, q: 1 / 0, length=5) == {"raised ZeroDivisionError"}


def test_the_same_seed_finds_the_same(cycles):
    first, second = cycles.campaign(400, 3), cycles.campaign(400, 3)
    assert first == second
    assert first.tried.total() == 400


def test_some_random_cycles_break_nothing(cycles):
    found = cycles.campaign(3000, 0)
    assert not found.failed.total(), found.first


# --- faults over DDS --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seed", "number"),
    [
        (3, 3),  # stopped while it pressed, it took the push for a load and pressed harder
        (35, 4),  # a held joint was moved by a velocity that its sensor invented
    ],
)
def test_what_random_cycles_once_broke_holds(cycles, seed, number):
    made = cycles.Episode(seed, number)
    made.run(10**4)
    assert made.broken == {}


def test_a_dead_driver_is_survived_and_a_node_that_does_not_care_is_found(monkeypatch):
    pytest.importorskip("rclpy")
    import adversary_dds
    from adversary_faults import try_fault

    from impact_qp.ros.control_cycle import ControlCycle

    assert try_fault("states stop") == ""
    monkeypatch.setattr(adversary_dds, "PATIENCE", 1.0)
    monkeypatch.setattr(ControlCycle, "lose", lambda self, reason: None)
    assert try_fault("states stop") == "a last command did not come within 1 s"


def test_there_are_twenty_faults_and_eight_quick_ones():
    pytest.importorskip("rclpy")
    from adversary_faults import FAULTS, QUICK

    assert len(FAULTS) >= 20
    assert len(QUICK) >= 8 and set(QUICK) <= set(FAULTS)


# --- the command ------------------------------------------------------------------------------


@pytest.fixture
def adversary(monkeypatch):
    """The campaign with three parts for all there is, the second of which fails when it is new."""
    import adversary

    def part(number):
        return [adversary.Count(f"kind {number % 2}", 5, number)], [f"case {number}"] * number

    work = [adversary.Work(f"part {k}", part, (k,)) for k in range(3)]
    monkeypatch.setattr(adversary, "parts", lambda quick: work)
    monkeypatch.setattr(adversary, "_tried", lambda left: (each.run() for each in left))
    return adversary


def test_parts_are_counted_by_name_with_where_they_come_from(adversary, capsys):
    found = adversary.measure()
    assert found["tried"] == {"kind 0": 10, "kind 1": 5}
    assert found["failed"] == {"kind 0": 2, "kind 1": 1}
    assert capsys.readouterr().err.count("case 2") == 2
    assert found["seed"] == 0 and found["commit"] and found["date"] and found["duration_s"] >= 0.0


def test_a_campaign_that_was_stopped_tries_what_is_left(adversary, monkeypatch, tmp_path, capsys):
    def stopped(left):
        yield left[0].run()
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(adversary, "_tried", stopped)
        with pytest.raises(SystemExit):
            adversary.measure(out=tmp_path / "kept")
    said = capsys.readouterr().err
    assert "impact bench adversary: stopped; 1 parts are finished, go on with --resume" in said
    tried = []
    monkeypatch.setattr(
        adversary, "_tried", lambda left: (tried.append(each.key) or each.run() for each in left)
    )
    resumed = adversary.measure(out=tmp_path / "kept", resume=True)
    assert tried == ["part 1", "part 2"]
    assert resumed["failed"] == adversary.measure()["failed"]
    with pytest.raises(UsageError, match="holds a study"):
        adversary.measure(out=tmp_path / "kept")


def test_the_parts_of_both_forms_have_names_of_their_own():
    pytest.importorskip("rclpy")
    import adversary

    for quick in (True, False):
        keys = [work.key for work in adversary.parts(quick)]
        assert len(keys) == len(set(keys))
    fed = [work.arguments[:2] for work in adversary.parts(False) if work.function is adversary.feed]
    assert sum(count for _, count in fed) == adversary.WHOLE.inputs
