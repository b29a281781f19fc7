# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The map beside MuJoCo and DART: the same bodies, the laws of each step, what is noticed."""

import json

import numpy as np
import pytest
from scipy.linalg import block_diag

from impact_cli.command_line import run as impact
from impact_predictor.multicontact.mujoco_step import mujoco_model
from impact_sim.exceptions import SimulationError
from studies.engines import dart_step, engine_report, engine_study
from studies.engines.drawn_impact import drawn_impact
from studies.engines.engine_step import EngineStep, figures, frictionless
from studies.engines.plate_mechanism import GYRATION, plate_mechanism
from studies.engines.plate_problem import plate_problem
from studies.row import DIFFERS, REPRODUCED

pytest.importorskip("dartpy")
SEED, DRAWS = 0, 4


@pytest.fixture(scope="module")
def found():
    """Two pushes and two grabs: 2 s."""
    return [engine_study.compared(SEED, number) for number in range(DRAWS)]


def verdicts(found):
    return {row.id: row.verdict for row in engine_report.table(found).rows}


def changed(found, engine, **values):
    """Return the impacts with other figures of an engine in the first one."""
    first = getattr(found[0], engine)._replace(**values)
    return [found[0]._replace(**{engine: first}), *found[1:]]


def test_pushes_and_grabs_are_drawn_with_plates_on_the_box():
    drawn = [drawn_impact(SEED, number) for number in range(DRAWS)]
    assert [each.task.kind for each in drawn] == ["push", "grab"] * (DRAWS // 2)
    assert {each.support is None for each in drawn} == {True, False}
    for each in drawn:
        problem = plate_problem(each)
        assert problem.closing_speed > 0.1
        assert len(problem.friction) == 4 * len(each.plates) + len(each.feet)
        turn, middle = np.asarray(each.body.rotation), np.asarray(each.body.position)
        for corners in each.corners.values():
            own = np.abs((corners - middle) @ turn) - each.size / 2.0
            assert own.max() < 1e-4 and np.sort(own.max(axis=0))[-2] < -0.005


def test_what_is_drawn_depends_on_seed_and_number_only():
    one, other = drawn_impact(SEED, 3), drawn_impact(SEED, 3)
    np.testing.assert_array_equal(np.concatenate(one.dq), np.concatenate(other.dq))
    assert drawn_impact(SEED + 1, 3).body.mass != one.body.mass


def test_plates_alone_have_the_impact_of_the_joints():
    """Momentum of the plates' problem with the velocities and impulses of the joints' map."""
    for number in range(4):
        drawn = drawn_impact(SEED, number)
        problem, (step, _) = plate_problem(drawn), engine_study.map_step(drawn)
        judged = figures(problem, step, step)
        assert judged.momentum_error < 1e-12 and judged.coulomb < 1e-10
        assert judged.energy_gain < 0.0


def test_the_chain_of_screws_has_the_inertia_and_twist_of_the_arm():
    problem = plate_problem(drawn_impact(SEED, 0))
    inertia, twist = problem.inertia[:6, :6], problem.v[:6]
    chain = plate_mechanism(inertia, twist)
    unit = np.diag([1.0] * 3 + [GYRATION**2] * 3)
    columns = [
        np.append(np.cross(each.point, each.axis) + each.pitch * each.axis, each.axis)
        for each in chain
    ]
    S = np.array(columns).T
    M = sum(
        block_diag(S[:, : k + 1].T @ (each.mass * unit) @ S[:, : k + 1], np.zeros((5 - k, 5 - k)))
        for k, each in enumerate(chain)
    )
    np.testing.assert_allclose(S @ np.linalg.solve(M, S.T) @ inertia, np.eye(6), atol=1e-9)
    np.testing.assert_allclose(S @ [each.rate for each in chain], twist, atol=1e-12)
    assert all(each.mass > 0.0 for each in chain)


def test_mujoco_has_the_arms_inertia_with_their_motors():
    import mujoco

    drawn = drawn_impact(SEED, 1)
    model = mujoco_model(drawn.plates, drawn.body, drawn.support)
    data, M = mujoco.MjData(model), np.zeros((model.nv, model.nv))
    data.qpos[7:] = np.concatenate(drawn.task.q_impact)
    mujoco.mj_forward(model, data)
    mujoco.mj_fullM(model, data, M)
    arms = [each.arm.inertia() for each in drawn.plates.values()]
    np.testing.assert_allclose(M[6:, 6:], block_diag(*arms), atol=1e-8)


def test_each_step_is_the_law_that_is_said(found):
    assert set(verdicts(found).values()) == {REPRODUCED}
    for each in found:
        assert each.map.coulomb < 1e-9 and each.mujoco.relaxed < 2e-3
        assert each.dart.frozen < 1e-3 and each.dart_coulomb.coulomb < 1e-3
        for engine in engine_study.ENGINES:
            step = getattr(each, engine)
            assert step.momentum_error < 1e-5 and step.energy_gain < 0.0 and step.pulling < 1e-9
    assert any(each.mujoco.coulomb > 0.1 for each in found)
    assert any(each.mujoco.separating > 0.1 for each in found)
    assert any(each.dart.coulomb > 0.1 and each.dart.outside_cone > 0.1 for each in found)


def test_a_perturbed_step_is_noticed():
    drawn = drawn_impact(SEED, 4)
    problem, (step, _) = plate_problem(drawn), engine_study.map_step(drawn)
    kicked = EngineStep(step.v + 0.01 * np.eye(len(step.v))[-6], step.impulses)
    judged = figures(problem, kicked, step)
    assert judged.difference == pytest.approx(0.01 / problem.closing_speed)
    assert judged.momentum_error > 1e-3 and judged.coulomb > 1e-3
    more = EngineStep(step.v, step.impulses * [1.5, 1.5, 1.0])
    assert figures(problem, more, step).outside_cone > 0.05
    less = EngineStep(step.v, -step.impulses)
    assert figures(problem, less, step).pulling == pytest.approx(1.0)
    heated = EngineStep(1.1 * problem.v, step.impulses)
    assert figures(problem, heated, step).energy_gain == pytest.approx(0.21)


def test_a_contact_that_an_engine_misses_is_an_error(monkeypatch):
    drawn = drawn_impact(SEED, 4)
    monkeypatch.setattr(dart_step, "DEPTH", -1e-6)
    with pytest.raises(SimulationError, match="DART: expected 8 contacts, got 0"):
        dart_step.dart_step(drawn, plate_problem(drawn))


def test_impulses_without_friction_press_and_stop_what_closes():
    problem = plate_problem(drawn_impact(SEED, 4))
    normal = frictionless(problem)
    rows = problem.J[2::3]
    after = rows @ (problem.v + np.linalg.solve(problem.inertia, rows.T @ normal))
    assert normal.min() >= 0.0 and normal.max() > 0.0
    assert after.min() > -1e-3 * problem.closing_speed
    assert np.abs(normal * after).max() < 1e-3 * problem.closing_speed * normal.max()


def test_the_rows_notice_worse_figures(found):
    assert verdicts(changed(found, "map", momentum_error=1e-6))["E1"] == DIFFERS
    assert verdicts(changed(found, "map", energy_gain=0.1))["E1"] == DIFFERS
    assert verdicts(changed(found, "mujoco", relaxed=0.02))["E2"] == DIFFERS
    assert verdicts(changed(found, "dart", frozen=0.02))["E3"] == DIFFERS
    assert verdicts(changed(found, "dart_coulomb", coulomb=0.02))["E4"] == DIFFERS
    lone = changed(changed(found, "dart_coulomb", difference=0.1), "dart_polished", coulomb=0.1)
    assert verdicts(lone)["E5"] == DIFFERS
    counted = engine_report.counts(changed(found, "dart", outside_cone=0.5), "dart")
    assert counted["largest_outside_cone"] == 0.5


def test_the_command_prints_the_engines_at_the_top(capsys, monkeypatch, found):
    monkeypatch.setattr(engine_study, "compared", lambda _, number: found[number])
    assert impact(["reproduce", "engines", f"--setups={DRAWS}", "--jobs=1", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    for engine in ("mujoco", "dart"):
        counted = answer["engines"][engine]
        assert counted["n"] == DRAWS
        assert counted["median_difference"] <= counted["largest_difference"]
        assert counted["momentum_error"] < 1e-5 and "cone_violations" in counted
    assert impact(["reproduce", "engines", f"--setups={DRAWS}", "--jobs=1"]) == 0
    assert "DART, Coulomb" in capsys.readouterr().out


def test_without_dart_one_line_says_what_is_missing(capsys, monkeypatch):
    monkeypatch.setattr(dart_step, "find_spec", lambda _: None)
    assert impact(["reproduce", "engines", "--setups=2", "--jobs=1"]) == 2
    said = capsys.readouterr().err
    assert "dartpy" in said and said.count("\n") == 1
