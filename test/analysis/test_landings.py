# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`evaluate` of recorded landings: the truth behind simulated ones is found, real ones are read."""

import json
from functools import partial

import numpy as np
import pytest
from landed_cassie import FLOOR, landed, write

from impact_analysis.landings.cassie_landing_file import read_cassie_landing
from impact_analysis.landings.foot_touch import floor_height, foot_touches
from impact_analysis.landings.forward_loss import loss
from impact_analysis.landings.jump_models import JUMP_MODELS
from impact_robots import ArmDynamics, loop_errors
from impact_sim.floating.motion import SimulatedMotion

NAMES = [model.name for model in JUMP_MODELS]


@pytest.fixture
def run(impact):
    """A function that runs the command and returns status, output and error output."""
    return partial(impact, "evaluate")


@pytest.fixture(scope="module")
def simulated(cassie, tmp_path_factory):
    """A landing simulated with M+B_rho, and its file."""
    motion = landed(cassie)
    return motion, write(tmp_path_factory.mktemp("landing") / "one.npz", cassie, motion)


@pytest.fixture(scope="module")
def real(shared_data):
    """The recorded landings' files."""
    files = sorted((shared_data / "real").glob("cassie_landing_*.npz"))
    if not files:
        pytest.skip("the recorded landings are not there")
    return files


def test_a_file_is_read_in_the_robots_order(cassie, simulated):
    motion, path = simulated
    landing = read_cassie_landing(path, cassie)
    np.testing.assert_allclose(landing.q, motion.q, atol=1e-12)
    np.testing.assert_allclose(landing.v, motion.v, atol=1e-9)
    assert loss(landing, motion) == pytest.approx(0.0, abs=1e-12)


def test_motors_torques_go_to_their_joints(cassie, simulated, tmp_path):
    arrays = dict(np.load(simulated[1]))
    arrays["u"] = arrays["u"] + np.arange(1.0, 11.0)
    np.savez(tmp_path / "driven.npz", **arrays)
    torques = read_cassie_landing(tmp_path / "driven.npz", cassie).torques[0]
    given = dict(zip(cassie.joint_names, torques, strict=True))
    assert [given[name] for name in ("hip_roll_left", "hip_roll_right", "toe_right")] == [1, 2, 10]
    assert all(given[name] == 0.0 for name in cassie.passive)


def test_the_touch_of_simulated_feet_is_found(cassie, simulated):
    motion, path = simulated
    touches = foot_touches(read_cassie_landing(path, cassie), cassie)
    assert [touch.foot for touch in touches] == ["toe_left", "toe_right"]
    assert floor_height(touches) == pytest.approx(FLOOR.height, abs=2e-3)
    dynamics = ArmDynamics(cassie)
    for touch in touches:
        names = [contact.name for contact in touch.contacts]
        heights = [
            min(dynamics.state(q, v).at(name).position[2] for name in names)
            for q, v in zip(motion.q, motion.v, strict=True)
        ]
        first = int(np.argmax(np.array(heights) <= FLOOR.height))
        assert abs(touch.sample - first) <= 6  # the window that velocities are taken from


def test_what_is_behind_a_simulated_landing_wins(run, simulated):
    """Of the inertias only the loss tells: behind springs, and with motors off, jumps are alike."""
    status, out, err = run(simulated[1], "--json")
    found = json.loads(out)
    assert (status, err) == (0, "")
    assert [*found["skill"]] == NAMES
    assert found["skill_interval_95"] is None
    skill = found["skill"]
    assert skill["M+B_rho"] > 0.97
    assert skill["M+B_rho"] > skill["frictionless"] > skill["springs locked"]
    rigid = found["forward_loss"]["rigid"]
    assert rigid["M+B_rho"] < 0.1 * rigid["M"]


def test_a_loss_has_the_authors_weights(cassie, simulated):
    motion, path = simulated
    landing = read_cassie_landing(path, cassie)
    q, v = motion.q.copy(), motion.v.copy()
    q[:, 2] += 0.1  # 10 (0.1)^2
    v[:, 6 + cassie.joint_names.index("knee_left")] += 0.5  # 1 (0.5)^2
    v[:, 6 + cassie.joint_names.index("toe_left")] += 2.0  # .01 2^2
    v[:, 6 + cassie.joint_names.index("knee_joint_right")] += 3.0  # .01 3^2
    v[:, 6 + cassie.joint_names.index("ankle_spring_joint_left")] += 9.0  # 0
    assert loss(landing, SimulatedMotion(q, v)) == pytest.approx(0.1 + 0.25 + 0.04 + 0.09)


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"x": np.zeros((100, 44))}, "expected x of shape (number of times, 45), got (100, 44)"),
        ({"u": np.full((100, 10), np.nan)}, "expected at least 18 samples, finite numbers"),
        ({"t": np.zeros(100)}, "expected increasing times, 0.0005 s apart on average"),
        ({"t": 0.001 * np.arange(100)}, "expected increasing times"),
        ({"t": None}, "expected the array t, got u, x"),
        ({"x": np.array([{}] * 100)}, "expected an .npz of arrays of numbers"),
        ({"u": np.full((100, 10), "a")}, "expected u to be numbers"),
    ],
)
def test_a_file_that_is_no_landing_is_one_line(simulated, tmp_path, change, line, refused):
    arrays = dict(np.load(simulated[1])) | change
    arrays = {name: value for name, value in arrays.items() if value is not None}
    np.savez(tmp_path / "wrong.npz", **arrays)
    assert line in refused("evaluate", tmp_path / "wrong.npz")


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["a.npz", "b.csv"], "expected one CSV, or recorded landings (.npz), got both"),
        (["a.npz", "a.npz"], "expected every landing once"),
        (["a.csv", "b.csv"], "expected one file, got 2; two: --fit and --test"),
        (["a.npz"], "a.npz: cannot be read"),
        (["a.csv", "--robot", "cassie"], "--robot: expected recorded landings (.npz)"),
        (["a.npz", "--fit", "b.csv"], "--fit: expected a CSV of impacts, got recorded landings"),
        (["a.npz", "--robot", "panda"], "robot panda: expected a floating base and the joints"),
    ],
)
def test_wrong_usage_is_one_line(arguments, line, refused):
    assert line in refused("evaluate", *arguments)


def test_a_text_that_is_no_archive_is_refused(run, tmp_path):
    (tmp_path / "text.npz").write_text("t, x, u")
    assert run(tmp_path / "text.npz")[0] == 2


def test_recorded_postures_close_the_rods(cassie, real):
    dynamics = ArmDynamics(cassie)
    for file in real[:3]:
        landing = read_cassie_landing(file, cassie)
        pairs = zip(landing.q, landing.v, strict=True)
        apart = [loop_errors(cassie.loops, dynamics.state(*each)) for each in pairs]
        assert np.abs(apart).max() < 1.1e-4


def test_real_landings_need_the_motors_inertia_friction_and_springs(run, real):
    """10 s: fifteen landings, each simulated four times."""
    status, out, err = run(*real, "--json")
    found = json.loads(out)
    assert (status, err, found["feet"]) == (0, "", 2 * len(real))
    skill = found["skill"]
    assert skill["M+B_rho"] >= 0.78
    assert skill["M+B_rho"] > skill["M"] > skill["frictionless"] > skill["springs locked"] > 0.0
    assert found["skill_passive"]["M+B_rho"] >= 0.92
    losses = found["forward_loss"]
    assert losses["rigid"]["M+B_rho"] <= 40.0
    assert losses["compliant"]["M+B_rho"] <= 35.0
    assert min(losses["rigid"]["M"], losses["compliant"]["M"]) >= 150.0


def test_tables_for_people_name_every_map(run, simulated):
    status, out, _ = run(simulated[1])
    assert status == 0
    assert all(name in out for name in (*NAMES, "rigid", "compliant", "velocity held"))
