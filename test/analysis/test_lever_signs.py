# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`evaluate`: the signs of the contact rows' levers come from the data."""

import csv
import json
from functools import partial

import numpy as np
import pytest
from evaluated_once import EvaluatedOnce
from falling_boxes import HALF_SIDES, INERTIA, NOISE, SIGNS, after, box, write

import impact_cli.commands.evaluate as command
from impact_analysis.planar.planar_impact_file import COLUMNS, PlanarImpactFile
from impact_analysis.planar.planar_momentum import inertia_ratio
from impact_bags.exceptions import RecordingError
from impact_cli.command_line import run as main


@pytest.mark.parametrize(("normal", "tangent"), SIGNS)
def test_whatever_the_signs_the_levers_are_those_of_the_velocity(tmp_path, normal, tangent):
    rows = box()
    dataset = PlanarImpactFile(write(tmp_path / "box.csv", rows, normal, tangent)).read()
    assert (dataset.levers.normal, dataset.levers.tangent) == (normal, tangent)
    assert len(dataset.impacts) == len(rows) and dataset.not_approaching == 0
    assert dataset.impacts.normal == pytest.approx(rows[:, 8:11])
    assert dataset.impacts.tangent == pytest.approx(rows[:, 11:14])
    assert dataset.impacts.place == pytest.approx(rows[:, 0] + rows[:, 10])
    assert ("NOT as usual in this format" in dataset.levers.text) == ((normal, tangent) != (1, -1))


def test_the_inertia_ratio_is_the_bodys(tmp_path):
    for seed, half_sides in enumerate([HALF_SIDES, (0.03, 0.03), (0.08, 0.02)]):
        dataset = PlanarImpactFile(
            write(tmp_path / "box.csv", box(half_sides=half_sides, seed=seed))
        ).read()
        found = inertia_ratio(dataset.impacts)
        assert found.ratio == pytest.approx(INERTIA, rel=0.05)
        assert found.interval[0] < found.ratio < found.interval[1]


def test_the_report_and_json_say_what_was_turned(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(command, "evaluate", EvaluatedOnce(samples=2))
    texts = {}
    for signs in ((1, -1), (-1, 1)):
        file = str(write(tmp_path / "box.csv", box(60), *signs))
        assert main(["evaluate", file]) == 0
        texts[signs] = capsys.readouterr().out
        assert main(["evaluate", file, "--json"]) == 0
        rows = json.loads(capsys.readouterr().out)["contact_rows"]
        assert (rows["n_lever_sign"], rows["d_lever_sign"]) == signs
        assert rows["usual_signs"] is (signs == (1, -1))
        assert rows["text"] in texts[signs]
        assert rows["dw_residual_radps"] < 0.5 * rows["dw_residual_other_d_lever_sign_radps"]
    usual, other = texts.values()
    assert "n_lever_m as it stands and d_lever_m turned, as usual in this format" in usual
    assert "n_lever_m turned and d_lever_m as it stands, NOT as usual in this format" in other
    assert usual.splitlines()[3:] == other.splitlines()[3:]  # the same impacts, the same results


def mixed():
    """Every second row has the other sign of d_lever."""
    rows = box()
    rows[::2, 13] *= -1
    return rows


def unrelated():
    """Angular velocities that belong to other rows."""
    rows = box()
    rows[:, [4, 7]] = np.roll(rows[:, [4, 7]], 1, axis=0)
    return rows


@pytest.mark.parametrize("rows", [mixed, partial(box, friction=0.0), unrelated])
def test_data_that_do_not_tell_are_refused_with_what_was_expected(tmp_path, rows, refused):
    file = write(tmp_path / "box.csv", rows())
    line = refused("evaluate", file, "--json")
    assert "the signs of n_lever_m and d_lever_m are not clear: expected changes of w" in line


def test_a_round_body_needs_no_sign_of_its_normals_lever(tmp_path):
    rows = box()
    r = np.array([0.0, -0.04])
    rows[:, [10, 13]] = 0.0, 0.04
    rows[:, 5:8] = [after(row[2:5], r) for row in rows]
    rows[:, 5:8] += np.random.default_rng(1).normal(size=(len(rows), 3)) * NOISE
    for tangent in (1, -1):
        levers = PlanarImpactFile(write(tmp_path / "disk.csv", rows, 1, tangent)).read().levers
        assert (levers.normal, levers.tangent, levers.other) == (1, tangent, None)
        assert "the other way" not in levers.text


@pytest.mark.parametrize(("friction", "spin_noise"), [(0.35, 10.0), (0.1, 5.0), (0.03, 2.0)])
def test_few_noisy_impacts_are_refused_rather_than_turned_wrongly(
    tmp_path, monkeypatch, friction, spin_noise
):
    monkeypatch.setattr("falling_boxes.NOISE", np.array([0.02, 0.02, spin_noise]))
    refused = 0
    for seed in range(12):
        file = write(tmp_path / "box.csv", box(40, friction, seed=seed), 1, -1)
        try:
            assert PlanarImpactFile(file).read().levers.usual
        except RecordingError:
            refused += 1
    assert refused > 0


@pytest.mark.parametrize(("normal", "tangent"), SIGNS)
def test_the_measured_ellipse_is_told_with_any_signs(shared_data, tmp_path, normal, tangent):
    source = shared_data / "real" / "ellipse_impacts.csv"
    if not source.is_file():
        pytest.skip(f"the data set {source.name} is not there")
    with source.open() as lines:
        rows = [[float(row[name]) for name in COLUMNS] for row in csv.DictReader(lines)]
    dataset = PlanarImpactFile(write(tmp_path / "e.csv", np.array(rows), normal, tangent)).read()
    assert (dataset.levers.normal, dataset.levers.tangent) == (normal, -tangent)
    assert len(dataset.impacts) == 856
    assert inertia_ratio(dataset.impacts).ratio == pytest.approx(3.7e-4, rel=0.02)
    with pytest.raises(RecordingError, match="not clear"):
        rows = np.array(rows)
        rows[::2, 13] *= -1
        PlanarImpactFile(write(tmp_path / "e.csv", rows)).read()
