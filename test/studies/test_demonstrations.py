# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The study of demonstrations: the hand, a repeated push, what the table notices."""

import json

import numpy as np
import pytest

from impact_cli.command_line import run as impact
from impact_robots.dynamics import ArmDynamics
from impact_sim.cell.spreading_file import load_spreading
from studies.demonstrations import demonstration_report, demonstration_study, guiding_hand
from studies.demonstrations.demonstration_study import DemonstrationTrial, Repetition
from studies.demonstrations.guiding_hand import PERIOD, GuidingHand
from studies.row import DIFFERS, REPRODUCED

NAME = "rs_push_parcel_case1"


@pytest.fixture(scope="module")
def start():
    scenario = load_spreading(NAME)
    return ArmDynamics(scenario.robots[0])(np.array(scenario.q_start[0]), np.zeros(7))


def forces(start, seed, count=3000, begin=10.0):
    """Forces and moments of a hand on an arm that does not move, shape (count, 6)."""
    hand = GuidingHand(start, np.array([0.0, -0.3, 0.0]), 1.0, begin, seed)
    pulls = [hand.pull(k * PERIOD, start) for k in range(count)]
    return np.array([np.concatenate(pull) for pull in pulls])


def test_a_hand_trembles_in_its_band_and_repeats_with_its_seed(start):
    found = forces(start, 1)
    np.testing.assert_array_equal(found, forces(start, 1))
    assert not np.array_equal(found, forces(start, 2))
    power = np.abs(np.fft.rfft(found[:, :3], axis=0)) ** 2
    frequency = np.fft.rfftfreq(len(found), PERIOD)
    band = (frequency > 5.0) & (frequency < 16.0)
    assert power[band].sum() > 0.8 * power.sum()
    grip = np.hypot(guiding_hand.STIFFNESS, guiding_hand.DAMPING * 2.0 * np.pi * 10.0)
    expected = guiding_hand.SHAKE * grip  # of the displacement, by spring and damper
    assert found[:, :3].std() == pytest.approx(expected, rel=0.3)


def test_a_hand_pulls_towards_its_movement_and_corrects_late(start):
    found = forces(start, 3, 1500, begin=0.0)[:, 1]
    early = found[: round(guiding_hand.DELAY / PERIOD)]
    stretched = guiding_hand.STIFFNESS * 0.3  # the whole movement, with an arm that stays behind
    assert np.abs(early).max() < 0.5 * stretched  # it has not moved far yet
    assert -found[1000:].mean() > 1.2 * stretched  # and corrects what it sees


@pytest.mark.slow  # a demonstration and two repetitions: 7 s of an idle core
def test_a_demonstrated_push_is_repeated():
    trial = demonstration_study.demonstration_trial(NAME, 2)
    assert not trial.refused and abs(trial.contact_error) < 3e-3
    assert [each.mode for each in trial.repetitions] == ["rs", "time_invariant"]
    for each in trial.repetitions:
        assert each.before[0] < 1e-3 and each.after[0] < 5e-3 and not each.stopped
        assert each.speed == pytest.approx(trial.speed, rel=0.08)
        assert each.box == pytest.approx(trial.box, abs=0.01)


def made(name, seed):
    """A trial in which all is well."""
    known = (f"{name} {seed}", name, seed, "", 0.5, 0.5, 1e-3, (3e-4, 5e-4), 0.15)
    repetitions = tuple(
        Repetition(mode.value, "", (5e-4, 1e-3), (4e-3, 6e-3), (5e-4, 5e-3), 0.51, 0.151)
        for mode in demonstration_study.MODES
    )
    return DemonstrationTrial(*known, repetitions)


def changed(trial, **entries):
    return trial._replace(repetitions=tuple(e._replace(**entries) for e in trial.repetitions))


def verdicts(found):
    return {row.id: row.verdict for row in demonstration_report.table(found).rows}


def test_what_is_worse_is_noticed():
    found = [made(NAME, seed) for seed in range(3)]
    assert set(verdicts(found).values()) == {REPRODUCED}
    worse = {
        "D1": [found[0]._replace(refused="impact: no", repetitions=()), *found[1:]],
        "D2": [changed(each, before=(2e-3, 3e-3)) for each in found],
        "D3": [changed(each, after=(11e-3, 12e-3)) for each in found],
        "D4": [changed(each, speed=0.46) for each in found],
        "D5": [changed(each, box=0.13) for each in found],
    }
    for row, trials in worse.items():
        own = verdicts(trials)
        assert own.pop(row) == DIFFERS
        assert set(own.values()) == {REPRODUCED}
    stopped = [changed(found[0], stopped="second impact"), *found[1:]]
    assert verdicts(stopped)["D1"] == DIFFERS


def test_the_command_has_all_scenarios_and_seeds(capsys, monkeypatch):
    monkeypatch.setattr(demonstration_study, "demonstration_trial", made)
    arguments = ["reproduce", "demonstrations", "--jobs=1", "--trials=2", "--seed=4", "--json"]
    assert impact(arguments) == 0
    rows = json.loads(capsys.readouterr().out)["tables"][0]["studies"]["repetitions"]
    assert {row["seed"] for row in rows} == {4, 5}
    assert {row["scenario"] for row in rows} == set(demonstration_study.SCENARIOS)
    assert len(rows) == 2 * 2 * len(demonstration_study.SCENARIOS)
