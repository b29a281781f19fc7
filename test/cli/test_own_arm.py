# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The whole way with an arm that is not the Panda: URDF, YAML, thresholds, detection, analysis."""

import json

import numpy as np
import pytest
from other_arms import UR, write_arm

from impact_cli.command_line import run as main
from impact_predictor.contact_force.laws import Viscoelastic
from impact_robots import ArmDynamics, Surface, load_robot
from impact_robots.kinematics import inverse_kinematics
from impact_sim import Simulation
from impact_sim.driver.sensors import Noise
from impact_sim.plant.compliant_wall import CompliantWall

NORMAL = np.array([-1.0, 0.0, 0.0])
NOISE = Noise(position=2e-5, velocity=5e-3, torque=0.25)  # more than the Panda's
HEADER = ["time_s"] + [
    pattern.format(i) for pattern in ("q{}_rad", "dq{}_radps", "tau{}_nm") for i in range(1, 7)
]
SPEEDS = (0.1, 0.15, 0.2)  # of the hits [m/s]


def write(path, measurements, every):
    """Write every n-th measurement as a CSV."""
    rows = [np.r_[m.time, m.q, m.dq, m.tau] for m in measurements[::every]]
    np.savetxt(path, rows, "%.9g", ",", header=",".join(HEADER), comments="")
    return path


class SoftControl:
    """Computed torque with gains that this arm's springs bear."""

    def __init__(self, arm):
        self._arm, self._dynamics = arm, ArmDynamics(arm)

    def __call__(self, measured, ddq, dq=None, q=None):
        """Return the command for an acceleration and, if given, the motion that it is of."""
        state = self._dynamics(measured.q, measured.dq)
        if q is not None:
            ddq = ddq + 10.0 * (dq - measured.dq) + 25.0 * (q - measured.q)
        return state.M @ ddq + self._arm.apparent_motor_inertia * ddq + state.h - state.g


def free_motion(arm):
    """Return 26 s of an arm that moves and touches nothing."""
    simulation, control = Simulation(arm, noise=NOISE, seed=3), SoftControl(arm)
    amplitude, rate = 0.25, np.array([0.9, 0.7, 1.1, 1.3, 1.7, 1.9])
    measured, found = simulation.reset(np.array(arm.stance)), []
    for _ in range(26_000):
        found.append(measured)
        wave = rate * measured.time
        q = arm.stance + amplitude * (1.0 - np.cos(wave))
        dq, ddq = amplitude * rate * np.sin(wave), amplitude * rate**2 * np.cos(wave)
        measured = simulation.step(control(measured, ddq, dq, q))
    return found


def hit(arm, speed, seed):
    """Return what is measured of an arm that coasts into a wall, and when it touched [s]."""
    dynamics, still = ArmDynamics(arm), np.zeros(arm.dof)
    surface = Surface(dynamics(arm.stance, still).position, NORMAL, 0.1)
    wall = CompliantWall(surface, Viscoelastic(1.2e5, 8e6))
    simulation, control = Simulation(arm, wall, noise=NOISE, seed=seed), SoftControl(arm)
    start = inverse_kinematics(arm, arm.stance, 0.08 * NORMAL)
    dq = np.linalg.pinv(dynamics(start, still).J) @ np.append(-speed * NORMAL, np.zeros(3))
    measured, found, touch = simulation.reset(start, dq), [], None
    while touch is None or measured.time < touch + 0.4:
        found.append(measured)
        measured = simulation.step(control(measured, still))
        if touch is None and simulation.plant.contact_force.any():
            touch = measured.time
    return found, touch


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """Folder with the arm's URDF, free motion, hits, and the truth about them."""
    folder = tmp_path_factory.mktemp("own")
    arm = load_robot(write_arm(folder, UR))
    return folder, free_motion(arm), [hit(arm, v, seed) for seed, v in enumerate(SPEEDS)]


def prepared(measured, tmp_path, every):
    """Return the options of an arm whose YAML and thresholds were made, and a folder of hits."""
    folder, free, hits = measured
    robot, thresholds = tmp_path / "mine.yaml", tmp_path / "thresholds.yaml"
    tool = [
        "--contact-point=0,0,0.1",
        "--tool-mass=0.1",
        "--tool-radius=0.03",
        "--tool-com=0,0,.05",
    ]
    noise = ["--velocity-noise=0.005", "--torque-noise=0.25"]
    urdf = str(folder / "ur_class.urdf")
    assert main(["robot", urdf, "--out", str(robot), *tool, *noise]) == 0
    still = write(tmp_path / "free.csv", free[: 5200 * every], every)
    asked = ["detect", str(still), "--robot", str(robot), "--learn", "-o", str(thresholds)]
    assert main(asked) == 0
    places = tmp_path / "hits"
    places.mkdir()
    for k, (found, _) in enumerate(hits):
        write(places / f"hit_{k}.csv", found, every)
    table = places / "normals.csv"
    rows = [f"hit_{k},-1,0,0" for k in range(len(hits))]
    table.write_text("\n".join(["recording,normal_x,normal_y,normal_z", *rows]))
    return ["--robot", str(robot), "--thresholds", str(thresholds)], places, table


@pytest.mark.parametrize("every", [1, 2])
def test_from_urdf_to_report(measured, tmp_path, capsys, every):
    options, places, table = prepared(measured, tmp_path, every)
    touches = {f"hit_{k}.csv": touch for k, (_, touch) in enumerate(measured[2])}
    capsys.readouterr()
    assert main(["detect", str(places), *options, "--json"]) == 0
    events = json.loads(capsys.readouterr().out)["events"]
    found = [(event["file"].rsplit("/")[-1], event["detection_time_s"]) for event in events]
    assert [name for name, _ in found] == list(touches)
    for name, time in found:
        assert 0.0 <= time - touches[name] < 0.008
    asked = ["analyze", str(places), *options, "--normals", str(table), "--jobs=1"]
    assert main([*asked, "--out", str(tmp_path / "out"), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [each["recording"] for each in document["impacts"]] == list(touches)
    for impact, speed in zip(document["impacts"], SPEEDS, strict=True):
        assert impact["time_s"] == pytest.approx(touches[impact["recording"]], abs=0.004)
        assert impact["approach_speed_mps"] == pytest.approx(speed, rel=0.05)
        assert impact["compared"]


def test_at_200_hz_what_can_be_judged_is_judged_and_the_rest_is_said(measured, tmp_path, capsys):
    options, places, table = prepared(measured, tmp_path, 5)
    capsys.readouterr()
    assert main(["detect", str(places / "hit_2.csv"), *options]) == 1
    out, error = capsys.readouterr()
    assert "impacts: cannot be determined" in out
    assert "fused needs at least 333 Hz, got 200 Hz" in error
    assert "torques missing" not in error
    asked = ["analyze", str(places), *options, "--normals", str(table), "--jobs=1"]
    assert main([*asked, "--out", str(tmp_path / "out"), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert all(impact["detector"] == "momentum" for impact in document["impacts"])
    for impact, speed in zip(document["impacts"], SPEEDS, strict=True):
        assert impact["approach_speed_mps"] == pytest.approx(speed, rel=0.1)
        assert not any("another impact" in note for note in impact["notes"])
    assert sum("here momentum judges" in text for text in document["warnings"]) == 3
