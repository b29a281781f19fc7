# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Validation by net feedback: the line and its root, momentum closure, verdicts, resumption."""

import json
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

pytest.importorskip("mujoco")

from impact_cli.command_line import run as impact
from impact_robots import ArmDynamics, load_robot
from impact_robots.exceptions import OutOfRangeError, UsageError
from impact_sim.plant.torque_loop import PERIOD, TorqueLoop
from impact_trials.processes import on_cluster
from studies.row import DIFFERS, REPRODUCED
from studies.validation import val2_report, val2_study
from studies.validation.held_feedback import held_feedback
from studies.validation.momentum_closure import LAG, closure_miss
from studies.validation.net_line import net_line
from studies.validation.val2_case import INERTIAS, USE_CASES, UseCase, prediction
from studies.validation.val2_folder import TRIALS, FinishedTrials
from studies.validation.val2_tables import percent_errors, published_errors
from studies.validation.val2_trial import Change, NetTask, NetTrial, run_task

PUSH = UseCase("push", "catfood", 2)
GRAB = UseCase("grab", "catfood", 1)
LEVELS = np.array([0.8, 0.9, 1.0, 1.1, 1.2])


@pytest.fixture(scope="module")
def robot():
    return load_robot("panda_plate")


@pytest.fixture(scope="module")
def pushed():
    """One push, 1.5 s."""
    return run_task(NetTask(PUSH, 1.0, 0, 0))


@pytest.fixture(scope="module")
def grabbed():
    """One grab, 2.3 s."""
    return run_task(NetTask(GRAB, 1.0, 0, 0))


@cache
def expected_of(use):
    return prediction(use, load_robot("panda_plate"))


def invented(slope_error=0.0, root_error=0.0, misses=(0.001, 0.02, 0.01)):
    """Trials on the very lines of theory, whose roots are what the locked map with B_theta says."""

    def trial(task):
        expected = expected_of(task.use)
        root = expected.locked["M+B_theta"] * (1.0 + root_error)
        reference = task.level * root
        net = expected.slope * (1.0 + slope_error) * (reference - root)
        if task.use.kind == "push":
            return NetTrial(task.key, reference, net, None, misses, False)
        return NetTrial(task.key, reference, net - 0.03, net, misses, False)

    return trial


@pytest.fixture
def study(monkeypatch):
    """Return how to make a study of invented trials."""
    monkeypatch.setattr(val2_study, "prediction", lambda use, robot: expected_of(use))

    def make(**errors):
        wanted = [*val2_study.tasks(1, 0), *val2_study.changed_tasks(0)]
        made = invented(**errors)
        return val2_study.study_of(wanted, {task.key: made(task) for task in wanted}, 0)

    return make


def test_a_line_without_scatter_has_its_root_for_an_interval():
    line = net_line(LEVELS, 1.3 * (LEVELS - 0.97))
    assert line.slope == pytest.approx(1.3) and line.root == pytest.approx(0.97)
    assert line.low == pytest.approx(0.97) and line.high == pytest.approx(0.97)


def test_the_interval_ends_where_a_line_may_just_be_zero():
    """Fieller's condition holds with equality at both ends."""
    y = 1.2 * (LEVELS - 1.05) + np.array([0.01, -0.02, 0.015, 0.0, -0.01])
    line, t = net_line(LEVELS, y), 3.182446  # of 3 degrees of freedom
    spread = ((LEVELS - 1.0) ** 2).sum()
    for end in (line.low, line.high):
        allowed = t * line.residual * np.sqrt(1 / 5 + (end - 1.0) ** 2 / spread)
        assert abs(line.slope * (end - line.root)) == pytest.approx(allowed, rel=1e-6)
    assert line.low < line.root < line.high


def test_the_interval_holds_the_true_root_in_95_of_100_draws():
    random, held = np.random.default_rng(0), 0
    x = np.repeat(LEVELS, 5)
    for _ in range(1000):
        line = net_line(x, 1.3 * (x - 1.02) + random.normal(0.0, 0.03, x.size))
        held += line.low <= 1.02 <= line.high
    assert 0.93 < held / 1000 < 0.97


def test_a_line_that_may_be_level_has_no_end_to_its_interval():
    line = net_line(LEVELS, np.array([0.1, -0.1, 0.1, -0.1, 0.11]))
    assert (line.low, line.high) == (-np.inf, np.inf)


@pytest.mark.parametrize("x", [[0.5, 0.6], [0.5, 0.5, 0.5]])
def test_no_line_is_an_error(x):
    with pytest.raises(OutOfRangeError, match="at least three velocities, not all alike"):
        net_line(x, np.arange(len(x), dtype=float))


def test_momentum_closes_for_the_inertia_that_the_arm_has(robot):
    """An arm whose joints accelerate by what its torques make of M + B, in small steps."""
    dynamics, B = ArmDynamics(robot), 0.2 * np.ones(7)
    q, dq, dt = np.array(PUSH.scenario.q_impact[0]), np.zeros(7), 1e-4
    torque, impulse = np.array([9.0, -4.0, 6.0, 5.0, 2.0, 1.0, 0.5]), 1e-3 * np.ones(7)
    links, cycles = [np.array([q, dq])], 200
    for _ in range(cycles):
        point = dynamics(q, dq)
        inertia = point.robot_state.inertia(B)
        ddq = np.linalg.solve(inertia, torque + impulse / dt)
        q, dq = q + dt * (dq + dt * ddq / 2), dq + dt * ddq
        links.append(np.array([q, dq]))
    torques, sensed = [torque + dynamics(*each).h for each in links[:-1]], [np.zeros(7)] * 201
    size = np.linalg.norm(dynamics(*links[-1]).velocity)

    def miss(inertia):
        impulses = [impulse] * cycles
        return np.linalg.norm(closure_miss(robot, inertia, links, torques, impulses, sensed, dt))

    assert size > 0.3
    assert miss(B) < 0.01 * size
    assert miss(2 * B) > 0.05 * size


def test_a_torque_that_stays_leaves_the_impulse_by_which_its_loop_was_late(robot):
    """An arm at rest, of whose sensed torques 6 N.m are new: B_theta/B_rho is 1/3."""
    q, rest = np.array(PUSH.scenario.q_impact[0]), np.zeros(7)
    point = ArmDynamics(robot)(q, rest)
    change, B = np.array([6.0, 0, 0, 0, 0, 0, 0]), robot.apparent_motor_inertia
    miss = closure_miss(
        robot, B, [np.array([q, rest])] * 2, [point.h], [rest], [rest, change], lag=5e-4
    )
    left = np.linalg.solve(point.robot_state.inertia(B), change * 5e-4 * 2 / 3)
    np.testing.assert_allclose(miss, -point.J[:3] @ left, atol=1e-12)
    assert np.linalg.norm(miss) > 2e-4


def test_the_lag_is_that_of_the_loop():
    """A ramp of the sensed torque reaches the motors later by it, in the mean over a period."""
    robot = load_robot("panda_plate")
    loop, ramp, steps = TorqueLoop(robot), 1e3 * np.ones(7), 200
    loop.reset(np.zeros(7))
    for k in range(1, steps + 1):
        acted = loop.update(np.zeros(7), ramp * k * PERIOD)
    ratio = robot.reflected_motor_inertia / robot.apparent_motor_inertia
    transmitted = acted / (1.0 - ratio) - robot.damping_time * ramp
    mean = ramp * (steps + 0.5) * PERIOD  # of the true torque while the motors' is held
    np.testing.assert_allclose((mean - transmitted) / ramp, LAG, rtol=1e-9)


def test_feedback_lifts_a_held_object_as_the_constrained_arms_do(robot):
    """Two arms with a plate each on a body without mass, by their equations with constraints."""
    dynamics, B = ArmDynamics(robot), robot.apparent_motor_inertia
    points = [dynamics(np.array(q), np.zeros(7)) for q in GRAB.scenario.q_impact]
    wanted = [np.array([0.1, -0.5, 0.2, 1.0, -0.3, 0.4]), np.array([0.0, 0.6, 0.1, -0.8, 0.2, 0.1])]
    rows, forces, tasks = [np.eye(6)[:, :3]] * 2, np.zeros(14), np.zeros((12, 14 + 3))
    mass = np.zeros((17, 17))  # of both arms' joints; the body's three directions have none
    for arm, (point, each) in enumerate(zip(points, wanted, strict=True)):
        own, inertia = slice(7 * arm, 7 * arm + 7), point.robot_state.inertia(B)
        forces[own] = inertia @ np.linalg.lstsq(point.J, each, rcond=None)[0]
        mass[own, own] = inertia
        tasks[6 * arm : 6 * arm + 6, own] = point.J
        tasks[6 * arm : 6 * arm + 6, 14:] = -rows[arm]
    kkt = np.block([[mass, tasks.T], [tasks, np.zeros((12, 12))]])
    solved = np.linalg.solve(kkt, np.concatenate([forces, np.zeros(15)]))
    np.testing.assert_allclose(held_feedback(points, B, wanted), solved[14:17], atol=1e-9)


def test_a_grab_is_explained_by_b_theta_alone_and_by_all_of_its_feedback(grabbed):
    by = dict(zip(INERTIAS, grabbed.misses, strict=True))
    assert by["M+B_theta"] < 0.002
    assert min(by["M+B_rho"], by["M"]) > 0.008
    slope = expected_of(GRAB).slope
    held, alone = (grabbed.reference - net / slope for net in (grabbed.held, grabbed.net))
    truth = expected_of(GRAB).locked["M+B_theta"]
    assert held == pytest.approx(truth, rel=0.03)
    assert alone > 1.06 * truth  # the contact points' feedback by itself says too much


def test_friction_learned_of_all_tasks_does_not_move_the_root_of_a_grab(grabbed):
    """Not learned it adds 0.08 m/s, learned of the position alone 0.2 (5 s)."""
    change = Change("friction", motor_friction=True, learned="all tasks")
    trial = run_task(NetTask(GRAB, 1.0, 0, 0, change))
    assert trial.held == pytest.approx(grabbed.held, abs=0.015)


def test_a_push_is_explained_by_b_theta_alone(pushed):
    by = dict(zip(INERTIAS, pushed.misses, strict=True))
    assert by["M+B_theta"] < 0.002
    assert min(by["M+B_rho"], by["M"]) > 0.008
    assert not pushed.stopped
    expected = prediction(PUSH, load_robot("panda_plate"))
    assert pushed.reference == pytest.approx(expected.points["M+B_theta"])


def test_a_reference_that_is_faster_takes_more_feedback_by_the_slope(pushed, robot):
    fast = run_task(NetTask(PUSH, 1.2, 0, 0))
    slope = (fast.net - pushed.net) / (fast.reference - pushed.reference)
    assert slope == pytest.approx(prediction(PUSH, robot).slope, rel=0.12)


def test_a_trial_without_an_impact_is_stopped_and_left_out(monkeypatch, robot):
    away = replace(PUSH.scenario, box_offset=(0.5, 0.0, 0.0), run_up=0.6)
    monkeypatch.setattr(UseCase, "scenario", property(lambda self: away))
    trial = run_task(NetTask(PUSH, 1.0, 0, 0))
    assert trial.stopped and np.isnan(trial.misses).all()


def test_trials_keep_their_seeds_when_there_are_more():
    few, many = ({t.key: t.seed for t in val2_study.tasks(count, 7)} for count in (1, 5))
    assert len(few) == 90 and len(many) == 450
    assert few.items() <= many.items()
    assert len(set(many.values())) == 450
    assert min(many.values()) == 7


def test_changes_are_tried_with_the_noise_of_the_first_trials():
    changes = val2_study.changed_tasks(0)
    firsts = {(t.use, t.level): t.seed for t in val2_study.tasks(1, 0)}
    assert all(task.seed == firsts[task.use, task.level] for task in changes)
    assert len({task.key for task in changes}) == len(changes)
    assert not any(t.change.support_friction for t in changes if t.use.kind == "grab")


def test_predictions_rise_with_the_inertia_and_slopes_with_the_object(robot):
    found = {use: prediction(use, robot) for use in USE_CASES if use.case == 1}
    for each in found.values():
        assert each.locked["M"] < each.locked["M+B_theta"] < each.locked["M+B_rho"]
    for kind in ("push", "grab"):
        slopes = [found[UseCase(kind, name, 1)].slope for name in ("parcel", "catfood", "juice")]
        assert 1.0 < slopes[0] < slopes[1] < slopes[2]
    assert found[UseCase("push", "juice", 1)].slope == pytest.approx(1.49, abs=0.01)


def test_errors_are_positive_where_a_prediction_is_too_fast():
    assert percent_errors({"M": 0.55}, 0.5) == {"M": pytest.approx(10.0)}
    assert list(published_errors(PUSH).values()) == [1.82, 5.76, -1.56]


def test_what_comes_out_as_published_and_in_theory_is_said_to(study):
    """But for the pushes, of which Table II has the least mean error without motors."""
    rows = {row.id: row for row in val2_report.table(study()).rows}
    assert [rows[f"V{k}"].verdict for k in range(1, 7)] == [DIFFERS] + [REPRODUCED] * 5
    assert rows["V3"].figures["use_cases"] == 18
    assert rows["V1"].difference == "B_theta for B=0"


@pytest.mark.parametrize(
    ("errors", "wrong"),
    [
        ({"root_error": 0.06}, {"V1", "V2", "V3"}),
        ({"root_error": -0.06}, {"V2", "V3"}),
        ({"slope_error": 0.1}, {"V1", "V6"}),
        ({"misses": (0.003, 0.02, 0.01)}, {"V1", "V4", "V5"}),
        ({"misses": (0.001, 0.02, 0.005)}, {"V1", "V4", "V5"}),
    ],
)
def test_what_does_not_is_said_too(study, errors, wrong):
    rows = val2_report.table(study(**errors)).rows
    assert {row.id for row in rows if row.verdict == DIFFERS} == wrong


def test_stopped_trials_are_counted_and_left_out(study):
    wanted = val2_study.tasks(1, 0, [PUSH])
    trials = {task.key: invented()(task) for task in wanted}
    trials[wanted[0].key] = trials[wanted[0].key]._replace(stopped=True, net=99.0)
    (case,) = val2_study.study_of(wanted, trials, 0).cases
    assert case.stopped == 1 and case.line.trials == 4
    assert case.line.root == pytest.approx(case.prediction.locked["M+B_theta"])


@pytest.fixture
def small(monkeypatch):
    """A study of ten invented trials; returns which of them were run."""
    ran = []

    def run_one(task):
        ran.append(task.key)
        return invented()(task)

    monkeypatch.setattr(val2_study, "run_task", run_one)
    monkeypatch.setattr(val2_study, "prediction", lambda use, robot: expected_of(use))
    monkeypatch.setattr(val2_study, "CHANGES", (Change("box 5 % heavier", mass=1.05),))
    monkeypatch.setattr(val2_study, "CHANGED", (PUSH,))
    every = val2_study.tasks
    monkeypatch.setattr(val2_study, "tasks", lambda n, s: every(n, s, [PUSH]))
    return ran


def run_study(folder, *, resume=False, progress=lambda *_: None):
    with FinishedTrials(folder, 0, resume=resume) as finished:
        return val2_study.run(1, 0, 1, progress, finished)


def test_what_was_stopped_goes_on_where_it_was(small, tmp_path):
    whole = run_study(tmp_path / "whole")
    small.clear()

    def stop(share, note):
        if share > 0.35:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_study(tmp_path / "out", progress=stop)
    assert len(small) == 4
    path = tmp_path / "out" / TRIALS
    path.write_text(path.read_text() + '{"key": "push_catf')  # cut off in the middle of a line
    assert run_study(tmp_path / "out", resume=True) == whole
    assert len(small) == len(set(small)) == 10
    assert run_study(tmp_path / "out", resume=True) == whole and len(small) == 10


@pytest.mark.usefixtures("small")
def test_a_cluster_gives_the_same(tmp_path):
    distributed = pytest.importorskip("distributed")
    whole = run_study(tmp_path / "whole")
    with (
        distributed.LocalCluster(
            n_workers=1,
            threads_per_worker=1,
            processes=False,
            protocol="tcp",
            dashboard_address=None,
        ) as cluster,
        on_cluster(cluster.scheduler_address),
        FinishedTrials(tmp_path / "out", 0, resume=False) as finished,
    ):
        assert val2_study.run(1, 0, 1, lambda *_: None, finished) == whole


def test_ctrl_c_says_how_to_go_on(small, tmp_path, capsys, monkeypatch):
    whole = val2_study.run

    def stopped(trials, seed, jobs, progress, finished):
        whole(trials, seed, jobs, progress, finished)
        raise KeyboardInterrupt

    monkeypatch.setattr(val2_study, "run", stopped)
    with pytest.raises(SystemExit) as ended:
        impact(["reproduce", "val2", "--trials=1", "--jobs=1", "--out", str(tmp_path / "out")])
    assert ended.value.code == 130
    said = capsys.readouterr()
    assert "10 trials are finished, go on with --resume --out" in said.err and not said.out


def test_folders_that_are_no_studies_are_refused(small, tmp_path):
    run_study(tmp_path / "out")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.tex").touch()
    for name, resume, message in (
        ("out", False, "holds a study: go on with --resume"),
        ("other", False, "expected a new or empty folder"),
        ("none", True, "--resume: expected the folder of a study"),
    ):
        with pytest.raises(UsageError, match=message):
            FinishedTrials(tmp_path / name, 0, resume=resume)
    with pytest.raises(UsageError, match="expected seed 1, got 0"):
        FinishedTrials(tmp_path / "out", 1, resume=True)
    assert (tmp_path / "other" / "thesis.tex").exists()
    path = tmp_path / "out" / TRIALS
    path.write_text(path.read_text().replace('"held": null, ', ""))
    with pytest.raises(UsageError, match="is of another version: name a new --out"):
        FinishedTrials(tmp_path / "out", 0, resume=True)


def test_the_command_prints_one_document(small, tmp_path, capsys):
    command = ["reproduce", "val2", "--trials=1", "--jobs=1", "--out", str(tmp_path / "out")]
    status = impact([*command, "--json"])
    document = json.loads(capsys.readouterr().out)
    (table,) = document["tables"]
    assert status == (1 if document["verdicts"]["differs"] else 0)
    (line,) = table["studies"]["val2_lines"]
    assert line["root_interval_mps"][0] <= line["root_mps"] <= line["root_interval_mps"][1]
    (error,) = table["studies"]["val2_errors_push"]
    assert error["published_error_b_rho_percent"] == 5.76
    impact([*command, "--resume"])
    text = capsys.readouterr().out
    assert "V6" in text and "Table II" in text and "5 % heavier" in text
