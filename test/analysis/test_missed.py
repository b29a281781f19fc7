# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Impacts that the detector did not report are listed, each once and with the reason."""

import numpy as np
import pytest
from struck_arm import TOUCH, Hit, simulate, write

from impact_analysis.analyze import AnalysisSettings, analyze, collect
from impact_analysis.analyze.reading.peaks_and_jumps import (
    force_peaks,
    momentum_pushes,
    velocity_jumps,
)
from impact_cli.command_line import run as main
from impact_robots import ArmDynamics, load_robot

pytestmark = pytest.mark.usefixtures("without_contact_laws")

UP = (0.0, 0.0, 1.0)
LATER = TOUCH + 0.16
T = np.arange(0.0, 1.0, 1e-3)


def collected(folder, hit, **how):
    return collect(write(folder / "bag", simulate(hit), **how), AnalysisSettings(normal=UP))


def push(duration, peak, start=0.5):
    """Return a half sine of force along z, (N, 3) [N]."""
    shape = np.sin(np.pi * np.clip((T - start) / duration, 0.0, 1.0))
    return np.outer(peak * shape, [0.0, 0.0, 1.0])


def test_a_peak_while_the_detector_was_latched_is_listed_with_time_and_reason(tmp_path):
    found = collected(tmp_path, Hit(pushes=((LATER, 0.01, 85.0),)))
    (impact,) = found.impacts
    (missed,) = found.missed
    assert (missed.kind, missed.size) == ("force", pytest.approx(85.0, abs=2.0))
    assert missed.time == pytest.approx(LATER, abs=2e-3)
    assert missed.reason.startswith("the detector was latched after the impact that it found at")
    assert f"{impact.detection_time:.3f} s" in missed.reason


@pytest.mark.parametrize(
    ("start", "reason"),
    [(TOUCH, "the statistic reached 0."), (0.03, "the detector could judge nothing then")],
)
def test_a_blow_that_was_not_noticed_has_its_reason(tmp_path, start, reason):
    hit = Hit(plate=False, after="on", pushes=((start, 0.01, 12.0),))
    (missed,) = collected(tmp_path, hit).missed
    assert missed.reason.startswith(reason)


def test_without_a_force_sensor_the_velocities_tell(tmp_path):
    (missed,) = collected(tmp_path, Hit(pushes=((LATER, 0.01, 85.0),)), forces=False).missed
    assert missed.kind == "jump" and missed.time == pytest.approx(LATER, abs=0.015)


REPORTED = {
    "hit": Hit(),
    "motor": Hit(sensor="motor"),
    "200 Hz": Hit(rate=200),
    "retracts": Hit(after="retract", after_delay=0.1),
    "retracts, motor": Hit(after="retract", after_delay=0.1, sensor="motor"),
    "free": Hit(plate=False, after="on"),
    "pushed slowly": Hit(plate=False, after="on", pushes=((TOUCH - 0.2, 0.3, 60.0),)),
}


@pytest.mark.parametrize("name", REPORTED)
def test_a_hit_that_was_reported_a_motion_and_a_slow_push_are_none(tmp_path, name):
    record = simulate(REPORTED[name])
    for forces in (True, False):
        bag = write(tmp_path / f"forces_{forces}", record, forces=forces)
        assert collect(bag, AnalysisSettings(normal=UP)).missed == [], forces


def test_the_real_arm_in_free_motion_has_missed_none(shared_data):
    file = shared_data / "real" / "panda_free_motion.csv"
    if not file.is_file():
        pytest.skip(f"the recording {file.name} is not there")
    found = collect(file, AnalysisSettings())
    assert (found.samples, found.impacts, found.missed) == (10_000, [], [])


def test_what_is_listed_is_bounded_and_whole_in_the_document(tmp_path, capsys):
    pushes = tuple((TOUCH + 0.12 * k, 0.01, 20.0) for k in range(1, 8))
    bag = write(tmp_path / "bag", simulate(Hit(length=1.0, pushes=pushes)))
    analysis = analyze(bag, normal=UP)
    (found,) = analysis.recordings
    assert len(found.missed) == 7
    assert [each.key for each in found.remarks] == ["missed_force"] * 5 + ["missed_more"]
    out = tmp_path / "out"
    assert main(["analyze", str(bag), "--out", str(out), "--normal", "0,0,1"]) == 0
    assert "force peak of 20 N at" in capsys.readouterr().out
    assert "force peak of 20 N at" in (out / "report.html").read_text()
    assert '"force_n": ' in (out / "analysis.json").read_text()


@pytest.mark.parametrize(("duration", "is_impact"), [(0.005, True), (0.02, True), (0.1, False)])
def test_the_rise_tells_a_blow_from_a_push(duration, is_impact):
    found = force_peaks(T, push(duration, 80.0))
    assert bool(found) == is_impact
    assert all(size == pytest.approx(80.0, abs=5.0) for _, size in found)


def test_a_load_an_offset_and_a_spike_of_the_sensor_are_no_peaks():
    load = np.outer(10.0 + 4.0 * np.sin(6.0 * T), [0.0, 0.5, 1.0])
    assert force_peaks(T, load) == []
    spike = np.zeros((len(T), 3))
    spike[500] = 300.0
    assert force_peaks(T, spike) == []
    ((at, _),) = force_peaks(T, load + push(0.01, 80.0))
    assert at == pytest.approx(0.5, abs=2e-3)


def test_peaks_below_the_noise_are_none():
    noise = 4.0 * np.random.default_rng(0).standard_normal((len(T), 3))
    assert force_peaks(T, noise + push(0.01, 30.0)) == []
    assert len(force_peaks(T, noise + push(0.01, 150.0))) == 1


def test_a_jump_that_torques_explain_is_none_and_one_that_they_do_not_is():
    robot = load_robot("panda")
    q = np.tile(robot.stance, (len(T), 1))
    dq = np.zeros((len(T), 7))
    dq[:, 3] = 0.4 * np.clip((T - 0.5) / 0.008, 0.0, 1.0)
    state = ArmDynamics(robot)(robot.stance, np.zeros(7))
    pushing = ((T > 0.5) & (T < 0.508))[:, None]
    acceleration = np.array([0.0, 0.0, 0.0, 50.0, 0.0, 0.0, 0.0])
    tau = state.g + pushing * (state.M @ acceleration)
    assert velocity_jumps(robot, T, q, dq, tau) == []
    ((at, size),) = velocity_jumps(robot, T, q, dq, np.tile(state.g, (len(T), 1)))
    assert at == pytest.approx(0.5, abs=3e-3) and size == pytest.approx(0.4, abs=0.02)
    unknown = np.full_like(tau, np.nan)
    assert len(velocity_jumps(robot, T, q, dq, unknown)) == 1
    assert velocity_jumps(robot, T, q, 0.6 * dq, unknown) == []  # a controller may do that


def test_no_impact_is_not_all_that_is_said_where_one_may_have_been_missed(tmp_path):
    blow = Hit(plate=False, after="on", rate=200, pushes=((TOUCH, 0.01, 60.0),))
    report = analyze(write(tmp_path / "bag", simulate(blow)), normal=UP)
    assert not report.impacts
    assert report.answer[0].endswith("; 1 may have been missed, see the warnings.")
    quiet = Hit(plate=False, after="on", rate=200)
    report = analyze(write(tmp_path / "quiet", simulate(quiet)), normal=UP)
    assert "missed" not in report.answer[0]


@pytest.mark.parametrize("speed", [0.05, 0.1, 0.25])
@pytest.mark.parametrize("stiffness", [1.2e4, 4.4e4, 1e5, 4e5])
def test_every_hit_is_found_or_listed_without_a_force_sensor(tmp_path, speed, stiffness):
    hit = Hit(velocity=(0.5 * speed, 0.0, -speed), stiffness=stiffness, damping=2.0, friction=0.25)
    record = simulate(hit)
    bag = write(tmp_path / "bag", record, forces=False)
    found = collect(bag, AnalysisSettings(normal=UP))
    times = [*(each.time for each in found.impacts), *(each.time for each in found.missed)]
    assert times == pytest.approx([record.touch], abs=0.012)


@pytest.mark.parametrize(
    "hit",
    [
        Hit(plate=False, after="on"),
        Hit(plate=False, after="on", joint_friction=3.0, sensor="motor"),
        Hit(plate=False, after="on", pushes=((TOUCH - 0.2, 0.3, 60.0),)),
        Hit(plate=False, after="retract"),
    ],
    ids=["free", "rubs, torques of the motors", "pushed by hand", "turns back"],
)
def test_what_torques_explain_or_a_hand_does_is_no_push(tmp_path, hit):
    assert collected(tmp_path, hit, forces=False).missed == []


@pytest.mark.parametrize("drift", [-6.0, -2.0, 0.0, 2.0, 6.0])
@pytest.mark.parametrize("duration", [0.01, 0.02, 0.03, 0.045])
def test_one_push_is_listed_once_from_its_beginning(duration, drift):
    """Also where the torques begin to drift 0.1 s before, by so many N.m/s."""
    robot = load_robot("panda")
    q, dq = np.tile(robot.stance, (len(T), 1)), np.zeros((len(T), 7))
    tau = np.tile(ArmDynamics(robot)(robot.stance, np.zeros(7)).g, (len(T), 1))
    tau[:, 1] += push(duration, 0.5 * np.pi * 0.6 / duration)[:, 2]  # 0.6 N.m.s
    tau[:, 1] += drift * np.clip(T - 0.4, 0.0, 0.2)
    ((at, size),) = momentum_pushes(robot, T, q, dq, tau)
    assert at == pytest.approx(0.5, abs=0.01) and size == pytest.approx(0.6, rel=0.15)


def test_a_recording_at_200_hz_is_searched():
    """Times in seconds are a rounding error more than 5 ms apart."""
    robot = load_robot("panda")
    t = (np.arange(200) * 5_000_000 + 300_000) * 1e-9
    assert np.median(np.diff(t)) > 0.005
    tau = np.tile(ArmDynamics(robot)(robot.stance, np.zeros(7)).g, (len(t), 1))
    tau[(t > 0.5) & (t < 0.52), 1] += 60.0
    q, dq = np.tile(robot.stance, (len(t), 1)), np.zeros((len(t), 7))
    ((at, _),) = momentum_pushes(robot, t, q, dq, tau)
    assert at == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("gap", [0.08, 0.1, 0.2])
@pytest.mark.parametrize("later", [0.01, 0.03, 0.05, 0.07])
def test_a_push_after_a_gap_of_the_recording_is_listed(gap, later):
    """Also where no sample is left that its beginning could be counted from."""
    robot = load_robot("panda")
    start = 0.5 + gap + later
    t = T[np.abs(T - 0.5 - 0.5 * gap) > 0.5 * gap]
    q, dq = np.tile(robot.stance, (len(t), 1)), np.zeros((len(t), 7))
    dq[:, 3] = 0.6 * np.clip((t - start) / 0.02, 0.0, 1.0)
    tau = np.tile(ArmDynamics(robot)(robot.stance, np.zeros(7)).g, (len(t), 1))
    ((at, _),) = momentum_pushes(robot, t, q, dq, tau)
    assert at == pytest.approx(start, abs=0.05)
