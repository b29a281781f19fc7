# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The command `reproduce`: what it carries is what was published, what it says is physics."""

import csv
import json
from dataclasses import replace

import numpy as np
import pytest

from impact_cli.command_line import run as run_command
from impact_predictor import identify_friction
from impact_robots import ArmDynamics
from studies import printing, tables
from studies.controller import closed_loop, impulse_membership, sampling, speed_limits
from studies.flexible_joints import (
    flexible_experiment,
    friction_search,
    planar_arm,
    planar_report,
    planar_study,
    prediction_errors,
)
from studies.flexible_joints.planar_case import planar_cases
from studies.impact_models import (
    contact_models,
    flexibility,
    inertia_ranking,
    ranking_report,
    velocity_ratios,
    virtual_spring,
)
from studies.impact_models.detection_delay import LAWS, detect_one
from studies.published import DATA, claims, decisions, parameter, read
from studies.reference_spreading import hit_and_push, net_feedback, velocity_gaps
from studies.row import DIFFERS, NOT_AVAILABLE, REPRODUCED, ClaimTable, judged, unavailable
from studies.wall_configurations import wall_configurations


@pytest.fixture(scope="module")
def rs_document():
    """The quickest table, as a program gets it."""
    return tables.rs_table(0, lambda *_: None).as_json()


@pytest.mark.parametrize("arguments", [(), ("--json",), ("flex", "--seed", "3"), ("--help",)])
def test_an_installed_suite_says_where_the_studies_are(impact, tmp_path, monkeypatch, arguments):
    monkeypatch.setattr("impact_cli.commands.reproduce._CHECKOUT", tmp_path)
    line = "impact: reproduce: the studies are in a checkout of the project, not here\n"
    assert impact("reproduce", *arguments) == (1, "", line)


@pytest.fixture(scope="module")
def closed_loop_hits():
    """One closed loop for each way to control an impact."""
    return closed_loop.hits(3, lambda *_: None, seeds=1)


def carried():
    names = {path.name for path in DATA.glob("*.csv")}
    return sorted(names - {"wall_configurations.csv", "decided_by.csv"})


@pytest.mark.parametrize("name", carried())
def test_carried_files_are_those_of_the_shared_data(shared_data, name):
    (source,) = [path for path in shared_data.rglob("*.csv") if path.name == name]
    assert (DATA / name).read_bytes() == source.read_bytes()


def test_what_would_decide_a_claim_is_said_of_every_published_one():
    assert claims().keys() <= decisions().keys()
    open_row = unavailable("H9", "no forces")
    assert open_row.decided_by == decisions()["H9"]
    shown = " ".join(printing.table_text(ClaimTable("iim", "", (open_row,))).split())
    assert f"no forces. What would decide it: {open_row.decided_by}" in shown
    settled = replace(open_row, verdict=REPRODUCED)
    assert "decide it" not in printing.table_text(ClaimTable("iim", "", (settled,)))


def test_given_wall_configurations_are_the_regression_vectors(derived_data):
    cases = json.loads((derived_data / "test_vectors.json").read_text())["cases"]
    lines = read("wall_configurations")
    assert [line["name"] for line in lines] == [case["name"] for case in cases]
    for line, case in zip(lines, cases, strict=True):
        assert [float(line[f"q{joint}_rad"]) for joint in range(1, 8)] == case["q"]


@pytest.mark.slow
def test_every_claim_has_its_row(monkeypatch, capsys, closed_loop_hits):
    """All four tables, with a few runs of each simulation."""
    monkeypatch.setattr("impact_analysis.analyze.comparing.judge.MOST_FITTED", 0)
    ranking, cases = inertia_ranking.inertia_ranking, planar_cases()[:1]
    monkeypatch.setattr(tables, "inertia_ranking", lambda *a, progress: ranking(*a, count=2))
    monkeypatch.setattr(tables, "planar_cases", lambda torque_loop=True: cases)
    monkeypatch.setattr(friction_search, "SPEEDS", (0.15,))
    for study, name, fewer in (
        (flexibility, "SAMPLES", 5),
        (sampling, "TRIALS", 20),
        (speed_limits, "SAMPLES", 20),
        (closed_loop, "hits", lambda seed, report: closed_loop_hits),
        (flexible_experiment, "TRIALS", 1),
        (impulse_membership, "PER_SCENARIO", 5),
        (impulse_membership, "PER_DRAWN", (2, 2)),
    ):
        monkeypatch.setattr(study, name, fewer)
    run_command(["reproduce", "--json"])
    document = json.loads(capsys.readouterr().out)
    rows = [row for table in document["tables"] for row in table["rows"]]
    assert [row["id"] for row in rows] == list(claims())
    assert {row["id"] for row in rows if row["verdict"] == NOT_AVAILABLE} == {"H9"}
    assert all(row["note"] for row in rows)
    assert all(row["figures"] for row in rows if row["verdict"] != NOT_AVAILABLE)


@pytest.mark.slow
def test_in_the_closed_loop_robust_keeps_every_limit_at_its_bound(closed_loop_hits):
    found = closed_loop_hits
    assert len(found) == 16
    assert all(hit.no_worse for hit in found)
    for hit in found:
        if hit.limits == "unaware":
            assert hit.admissible > 2.0 and hit.speed > 0.45
            continue
        assert hit.speed == pytest.approx(hit.bound, rel=0.02)
        if hit.limits == "robust":
            assert hit.admissible <= 1.0 and hit.measured <= 1.0 and hit.velocity <= 1.0
        else:
            assert hit.admissible > 1.5
    lines = closed_loop.study(found).cells
    assert len(lines) == 16 and len({len(line) for line in lines}) == 1


def test_the_planar_yaml_is_the_panda_with_three_joints(panda):
    planar, kept = planar_arm.planar_arm([1e4] * 3, [10] * 3), [1, 3, 5]
    assert planar.joint_names == tuple(panda.joint_names[i] for i in kept)
    for name in ("apparent_motor_inertia", "reflected_motor_inertia"):
        assert getattr(planar, name) == pytest.approx(getattr(panda, name)[kept])


# tables alone


def test_ratios_of_table_one_are_within_rounding():
    row = velocity_ratios.row()
    assert row.verdict == REPRODUCED
    assert 6.2e-4 < row.figures["largest_deviation"] < 6.3e-4
    with (DATA / "iim2022_table1_contact_velocity.csv").open() as file:
        recomputed = [float(line["ratio_e_a_recomputed"]) for line in csv.DictReader(file)]
    assert velocity_ratios.ratios()[:, 1] == pytest.approx(recomputed, abs=5.1e-5)


def test_rows_of_published_errors():
    by_id = {row.id: row for row in prediction_errors.rows()}
    assert [row.verdict for row in by_id.values()] == [REPRODUCED] * 3
    assert by_id["H12"].figures["experiment_types"] == 7
    assert by_id["H13"].figures["experiment_types"] == 5
    assert by_id["H13"].ours == by_id["H13"].published == "5/10"
    friction = prediction_errors.errors(
        "flex2024_table3_errors_friction", "abs_err_mu0p3_deg_per_s"
    )
    assert np.array_equal(friction, prediction_errors.apparent())  # two tables, one column


def test_a_changed_table_is_noticed(monkeypatch):
    changed = prediction_errors.apparent()
    changed[4, 4] = 0.0
    monkeypatch.setattr(prediction_errors, "apparent", lambda: changed)
    by_id = {row.id: row for row in prediction_errors.rows()}
    assert by_id["H13"].verdict == DIFFERS
    assert by_id["H13"].ours == "4/10"
    assert by_id["H13"].difference == "-1"


def test_means_of_the_velocity_gaps():
    rows = velocity_gaps.rows()
    assert [row.verdict for row in rows] == [REPRODUCED] * 3
    means = [row.figures["error_b_theta"] for row in rows]
    assert means[2] == pytest.approx((means[0] + means[1]) / 2)  # nine cases each


# models


def test_flexibility_vanishes_with_the_fixture(panda, monkeypatch):
    monkeypatch.setattr(flexibility, "SAMPLES", 10)
    row = flexibility.row(panda, 1)
    assert row.verdict == REPRODUCED
    assert row.figures["largest_relative_difference_floating"] < 1e-12
    assert row.figures["median_relative_difference"] > 1e-4


def test_contact_models():
    assert contact_models.maxwell_row().verdict == REPRODUCED
    assert contact_models.energy_row().verdict == REPRODUCED
    table = contact_models.restitutions()
    assert contact_models.viscoelastic_row(table).verdict == REPRODUCED
    assert np.all(table[:, 3] > table[:, 2])  # the published formula is an upper bound
    spring = virtual_spring.row()
    assert spring.verdict == REPRODUCED
    assert spring.figures["smallest_restitution_by_impulse"] > 1.0


def test_a_heavier_object_is_pushed_slower(panda):
    q = hit_and_push.lateral_pose(panda, np.array(hit_and_push.PICKED), np.random.default_rng(0))
    state = ArmDynamics(panda)(q, np.zeros(7))
    assert state.position == pytest.approx(hit_and_push.PICKED, abs=1e-8)
    assert state.rotation[:, 2] == pytest.approx([0, -1, 0], abs=1e-8)
    masses = hit_and_push._masses(panda, q)
    heavy = hit_and_push._masses(hit_and_push.heavier(panda), q)
    assert np.all(heavy > masses)
    light, slow = (hit_and_push.velocity_after(masses, 0.7, m) for m in (0.6, 2.2))
    assert np.all(slow < light) and np.all(light < 0.7)


def test_net_feedback_vanishes_at_the_true_velocity_only():
    assert abs(net_feedback.net_feedback(net_feedback.AFTER)) < 1e-6
    assert net_feedback.net_feedback(1.1 * net_feedback.AFTER) > 0.04


def test_a_speed_limit_is_that_of_its_scenario(panda):
    limits = {limit.name: limit for limit in speed_limits.scenario_limits(panda)}
    assert limits["qp_panda_demo"].existential == pytest.approx(0.1743, abs=1e-4)
    assert limits["qp_panda_demo"].robust == pytest.approx(0.0794, abs=1e-4)
    assert all(limit.robust < limit.existential for limit in limits.values())


def test_impulses_of_the_sets_own_inertia_stay_inside(panda, monkeypatch):
    monkeypatch.setattr(impulse_membership, "PER_SCENARIO", 30)
    monkeypatch.setattr(impulse_membership, "PER_DRAWN", (5, 4))
    found = impulse_membership.memberships(panda, 3)
    assert all(m.strict == m.count for m in found if m.inertia == "crb")
    assert all(m.strict <= m.with_zero <= m.count for m in found)
    assert impulse_membership.row(found).verdict == REPRODUCED


def test_slow_sampling_scatters_more(monkeypatch):
    monkeypatch.setattr(sampling, "TRIALS", 50)
    found = [item for item in sampling.sampled_impulses() if item.ratio == 0.06]
    spreads = [item.spread for item in sorted(found, key=lambda item: -item.rate)]
    assert spreads == sorted(spreads)
    assert max(abs(item.bias) for item in found) < 1e-3


# simulation


@pytest.fixture(scope="module")
def planar_result():
    return planar_study.simulate_planar(planar_cases()[1])


def test_the_planar_impact_is_predicted_by_the_apparent_motor_inertia(planar_result):
    assert planar_result.best == "M+B_theta"
    assert planar_result.rms["M+B_theta"] < 0.2 * planar_result.rms["M+B_rho"]
    assert planar_result.restitution == pytest.approx(0.0, abs=0.02)
    assert len(planar_cases()) == 18
    assert len(planar_cases(torque_loop=False)) == 9


def test_an_earlier_simulation_got_the_same(planar_result):
    """Other code, the same model: within 0.2 deg/s on each joint."""
    earlier = planar_result.case.reference_after
    assert planar_result.after == pytest.approx(earlier, abs=np.radians(0.2))
    row = planar_report.row([planar_result], [planar_result])
    assert row.verdict == REPRODUCED
    assert row.figures["largest_deviation_from_earlier_radps"] < np.radians(0.05)


def test_the_planar_study_has_converged(planar_result):
    finer = planar_study.simulate_planar(planar_result.case, contact_step=5e-6)
    assert finer.after == pytest.approx(planar_result.after, abs=np.radians(0.01))


def test_without_a_torque_loop_the_whole_motor_is_felt():
    result = planar_study.simulate_planar(planar_cases(torque_loop=False)[0])
    assert result.best == "M+B_rho"


def test_walls_are_hit_with_the_mass_that_the_torque_loop_leaves(panda):
    compared = inertia_ranking.inertia_ranking(panda, 0, count=2)
    errors = inertia_ranking.mean_log_errors(compared)
    assert next(iter(errors)) == "M+B_theta"
    assert errors["crb"] < errors["em"]
    lines = ranking_report.study(compared).cells
    assert [line[0] for line in lines] == ["iim_cfg_1", "qp_cfg_1"]


def test_drawing_repeats_with_the_seed_and_not_without(panda):
    one, same, other = (wall_configurations(panda, 6, seed) for seed in (0, 0, 1))
    assert np.array_equal(one[5].q, same[5].q)
    assert not np.array_equal(one[5].q, other[5].q)
    assert np.array_equal(one[3].q, other[3].q)  # given, not drawn


def test_a_known_friction_is_found_again(panda, monkeypatch):
    monkeypatch.setattr(friction_search, "SPEEDS", (0.15,))
    for friction in (0.2, 0.3):
        trials = friction_search.friction_trials(panda, friction)
        found = identify_friction(trials, panda.apparent_motor_inertia, law="sliding")
        assert found.friction == pytest.approx(friction, abs=0.02)


def test_an_impact_is_detected_within_milliseconds(panda):
    (line,) = [c for c in read("chosen_scenario_configurations") if c["name"] == "iim_cfg_1"]
    q = np.array([float(line[f"q{joint}_rad"]) for joint in range(1, 8)])
    law = LAWS["k/c 0.015"]
    delay = detect_one(panda, q, 0.12, 1.8, law, seed=0)
    assert 2e-3 < delay < 5e-3
    assert np.isnan(detect_one(panda, q, 0.12, 1e3, law, seed=0))  # missed


# the command


def test_rows_and_studies_for_programs(rs_document):
    assert set(rs_document) == {"table", "title", "rows", "studies"}
    assert [row["id"] for row in rs_document["rows"]] == ["H15", "H16", "H17", "H18", "H19"]
    keys = {"id", "paper", "claim", "published", "ours", "difference", "verdict", "note", "figures"}
    keys.add("decided_by")
    for row in rs_document["rows"]:
        assert set(row) == keys
        assert row["verdict"] in (REPRODUCED, DIFFERS, NOT_AVAILABLE)
        assert all(isinstance(value, (int, float)) for value in row["figures"].values())
    assert set(rs_document["studies"]) == {"hit_and_push", "net_feedback"}


def test_one_json_document_and_nothing_else(capsys, rs_document):
    assert run_command(["reproduce", "rs", "--json"]) == 0
    captured = capsys.readouterr()
    document = json.loads(captured.out)
    assert captured.err == ""  # no terminal, no progress
    assert document["seed"] == 0
    assert document["verdicts"] == {"reproduced": 5, "differs": 0, "not_available": 0}
    assert document["tables"] == [json.loads(json.dumps(rs_document))]  # and it repeats


def test_the_text_shows_every_row_and_study(capsys):
    assert run_command(["reproduce", "rs"]) == 0
    text = capsys.readouterr().out
    assert all(f"\nH{number}" in text for number in range(15, 20))
    assert "Net feedback" in text and "Lateral push" in text
    assert text.splitlines()[-1] == "5 reproduced"


def test_a_claim_that_differs_fails_the_command(monkeypatch, capsys):
    row = judged("H13", ours="4/10", difference="-1", holds=False, note="changed")
    missing = unavailable("H9", "no force profiles")
    monkeypatch.setitem(
        tables.TABLES, "qp", lambda seed, report: ClaimTable("qp", "title", (row, missing))
    )
    assert run_command(["reproduce", "qp"]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "1 differs, 1 not available"
    reproduced = replace(row, verdict=REPRODUCED)
    monkeypatch.setitem(
        tables.TABLES, "qp", lambda seed, report: ClaimTable("qp", "title", (reproduced, missing))
    )
    assert run_command(["reproduce", "qp"]) == 0


def test_text_stays_within_its_width():
    long = judged("H13", ours="word " * 40, difference="d", holds=True, note="note " * 60)
    text = printing.table_text(ClaimTable("flex", "title", (long,)))
    assert max(map(len, text.splitlines())) <= printing.WIDTH


@pytest.mark.parametrize(
    "arguments", [["nonsense"], ["flex", "--seed", "-1"], ["rs", "--seed", "x"]]
)
def test_wrong_usage_is_one_line(refused, arguments):
    assert arguments[-1] in refused("reproduce", *arguments)


@pytest.mark.parametrize(
    ("option", "table", "tables"),
    [
        ("--poses=2", "foreign", "load"),
        ("--truths=2", "load", "learn"),
        ("--trials=2", "flex", "hrp4 or val2 or fields or engines or demonstrations"),
        ("--pushes=2", "load", "hrp4"),
        ("--only=balance", "load", "hrp4"),
        ("--setups=2", "load", "foreign or hammer or engines"),
        (
            "--out=x",
            "engines",
            "foreign or load or learn or hrp4 or val2 or people or hammer or fields",
        ),
        (
            "--out=x",
            "flex",
            "foreign or load or learn or hrp4 or val2 or people or hammer or fields",
        ),
        (
            "--resume",
            "flex",
            "foreign or load or learn or hrp4 or val2 or people or hammer or fields",
        ),
    ],
)
def test_an_option_of_another_table_is_refused(refused, option, table, tables):
    line = refused("reproduce", table, option)
    assert f"{option.split('=')[0]}: expected table {tables}, got {table}" in line


def test_published_figures_are_read_not_typed():
    assert parameter("flex.mu") == (0.3,)
    assert parameter("rs.abs_error_hit") == (3.12, 5.84, 2.62)
