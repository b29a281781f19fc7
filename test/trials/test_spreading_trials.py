# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Trials in which plates hit a box: their truth is physics, they repeat, and they are recorded."""

import csv
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("rosbags")
pytest.importorskip("mujoco")

from impact_bags import BagReader
from impact_cli.command_line import run as run_command
from impact_sim.cell.spreading_file import load_spreading
from impact_trials.in_process.spreading_trial import spread
from impact_trials.trial import Trial
from impact_trials.truth.cell_truth import START, cell_row

SHORT = 0.1  # after contact [s]


def short(name, **changes):
    return replace(load_spreading(name), after_contact=SHORT, **changes)


@pytest.fixture(scope="module")
def push():
    scenario = short("rs_push_catfood_case2")
    return scenario, spread(scenario, 3)


@pytest.fixture(scope="module")
def late():
    scenario = short("rs_grab_catfood_late")
    return scenario, spread(scenario, 0)


def test_the_plate_arrives_on_time_at_its_speed(push):
    scenario, run = push
    row = cell_row(Trial(scenario, 0, 3), run.log)
    displaced = row["box_displacement_y_m"]
    assert row["contact_speed_mps"] == pytest.approx(0.7, rel=0.02)
    expected = scenario.run_up - displaced / 0.7  # pushed along -y
    assert row["impact_time_s"] - START == pytest.approx(expected, abs=2e-3)
    assert 0.0 < row["detection_delay_s"] < 6e-3 and row["false_detections"] == 0


def test_the_box_moves_by_what_it_was_pushed(push):
    scenario, run = push
    plate, box = run.log.plant.plates[0], run.log.plant.box
    sliding = scenario.support_friction * 9.81 * SHORT
    gained = plate.total_impulse[1] / scenario.box_mass
    assert -box.velocity[1] == pytest.approx(gained - sliding, rel=0.05)
    row = cell_row(Trial(scenario, 0, 3), run.log)
    assert row["box_moved_y_m"] < -0.03 and abs(row["box_moved_z_m"]) < 2e-3
    assert row["normal_impulse_ns"] == pytest.approx(plate.impulse[1])


def test_the_late_arm_touches_later_and_each_has_its_own_detector(late):
    scenario, run = late
    row = cell_row(Trial(scenario, 0, 0), run.log)
    apart = row["left_touch_time_s"] - row["right_touch_time_s"]
    # the box is off by 3.5 +- 1 mm towards one arm, so the plates' ways differ by twice that
    displaced = row["box_displacement_y_m"]
    assert 0.0025 < displaced < 0.0045
    assert abs(apart) > displaced / 0.35
    delays = [row[f"{arm}_detection_delay_s"] for arm in ("left", "right")]
    assert all(0.0 < delay < 8e-3 for delay in delays)
    assert row["impact_time_s"] == min(row["left_touch_time_s"], row["right_touch_time_s"])


def test_the_same_seed_gives_the_same_trial(push):
    scenario, run = push
    again, other = spread(scenario, 3), spread(scenario, 4)
    np.testing.assert_array_equal(run.log.plant.plates[0].force, again.log.plant.plates[0].force)
    assert run.log.plant.first_contact_time != other.log.plant.first_contact_time


def test_without_a_box_in_the_way_there_is_no_touch():
    scenario = short("rs_push_parcel_case3", box_offset=(0.5, 0.0, 0.0))
    run = spread(scenario, 0)
    row = cell_row(Trial(scenario, 0, 0), run.log)
    assert row["impact_time_s"] is None and "plate_touch_time_s" not in row
    assert run.log.times[-1] == pytest.approx(scenario.run_up + 1.0, abs=2e-3)


def test_another_box_by_file_is_simulated_and_recorded(tmp_path, capsys):
    (tmp_path / "mine.yaml").write_text(
        "{like: rs_grab_safe, box_mass: 0.9, box_size: [0.24, 0.14, 0.2], after_contact: 0.1}"
    )
    folder = tmp_path / "out"
    command = ["simulate", "--scenario", str(tmp_path / "mine.yaml"), "--record", str(folder)]
    assert run_command([*command, "--trials=2", "--jobs=1"]) == 0
    assert "mine" in capsys.readouterr().out
    with (folder / "trials.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["bag"] for row in rows] == ["mine_000", "mine_001"]
    assert all(float(row["box_mass_kg"]) == 0.9 and row["left_touch_time_s"] for row in rows)
    with BagReader(folder / "mine_000") as bag:
        topics = set(bag.topics)
    arms = {f"/{arm}/{name}" for arm in ("left", "right") for name in ("joint_states", "wrench")}
    assert {*arms, "/box_pose"} < topics


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "the following arguments are required: SCENARIO"),
        (["a/x.yaml", "b/x.yaml"], "expected scenarios of different names, got x twice"),
        (["rs_push"], "scenario: expected one of qp_panda_demo"),
    ],
)
def test_wrong_scenarios_are_one_line(arguments, message, refused):
    assert message in refused("simulate", *arguments)
