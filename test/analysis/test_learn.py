# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`detect --learn`: thresholds proposed from free motion hold in that motion, and only there."""

import json

import numpy as np
import pytest
import yaml

from impact_analysis.detection.learn_run import FLOOR, MARGIN, NEEDED, proposal
from impact_analysis.detection.running_statistic import RunningStatistic
from impact_cli.command_line import run as main
from impact_detector.detectors.detector_kind import DETECTORS
from impact_detector.parameters import DetectorParameters
from impact_ros.parameters import from_values

HEADER = ["time_s"] + [
    pattern.format(i)
    for pattern in ("q{}_rad", "dq{}_radps", "tau{}_nm", "tau_ref{}_nm")
    for i in range(1, 8)
]


@pytest.fixture
def learn(impact):
    """A function that runs the command and returns status, output and error output."""
    return lambda *arguments: impact("detect", *arguments, "--learn")


@pytest.fixture
def make_csv(tmp_path):
    """A function that writes noisy motion of joint 7, whose torque sensors are off by ``scale``."""

    def write(samples=NEEDED + 500, scale=0.4, peak=0.0, reference=True, name="motion.csv"):
        random, t = np.random.default_rng(4), np.arange(samples) * 1e-3
        q, dq = np.zeros((samples, 7)), np.zeros((samples, 7))
        q[:, 6], dq[:, 6] = np.sin(t), np.cos(t)
        dq += random.normal(0.0, 2e-4, dq.shape)
        tau = random.normal(0.0, scale, q.shape)
        tau[samples // 2, 5] += peak
        columns = [t[:, None], q, dq, tau] + ([np.zeros_like(q)] if reference else [])
        file = tmp_path / name
        header = HEADER if reference else HEADER[:-7]
        table = np.hstack(columns)
        np.savetxt(file, table, "%.9g", ",", header=",".join(header), comments="")
        return file

    return write


def test_a_proposal_has_its_margin_over_the_largest_statistic(learn, make_csv):
    status, out, err = learn(make_csv(), "--json")
    assert (status, err) == (0, "")
    document = json.loads(out)
    assert document["margin"] == MARGIN
    found = document["detectors"].pop("velocity_error")
    assert "could be judged" in found["reason_not_judged"]  # for want of a reference's velocities
    for name, found in document["detectors"].items():
        assert found["reason_not_judged"] is None, name
        largest, proposed = found["largest_statistic"], found["proposed_threshold"]
        floor = FLOOR * DETECTORS[name].threshold
        assert proposed == pytest.approx(max(MARGIN * largest, floor), rel=6e-3), name
        assert found["quantile_0.999"] <= largest
        assert document["parameters"][found["parameter"]] == proposed


def test_with_the_file_it_writes_nothing_fires(learn, make_csv, tmp_path, capsys):
    recording, file = make_csv(scale=0.8), tmp_path / "thresholds.yaml"
    status, out, _ = learn(recording, "--detectors", "torque_error", "--output", file)
    assert status == 0 and file.read_text() in out
    values = yaml.safe_load(file.read_text())["/**/impact_detector"]["ros__parameters"]
    from_values(DetectorParameters, values)  # the node takes them
    assert values["threshold"] > DETECTORS["torque_error"].threshold

    main(["detect", str(recording), "--detectors", "torque_error", "--json"])
    assert json.loads(capsys.readouterr().out)["events"]
    threshold = ["--threshold", str(values["threshold"])]
    main(["detect", str(recording), "--detectors", "torque_error", "--json", *threshold])
    assert json.loads(capsys.readouterr().out)["events"] == []


def test_an_impact_in_the_recording_is_pointed_out(learn, make_csv):
    _, quiet, _ = learn(make_csv(scale=0.1), "--detectors", "torque_error")
    _, hit, _ = learn(make_csv(scale=0.1, peak=30.0), "--detectors", "torque_error")
    assert "looks like an impact" not in quiet
    assert "looks like an impact: torque_error" in hit


def test_what_cannot_be_judged_says_why_and_writes_nothing(learn, make_csv, tmp_path):
    file = tmp_path / "thresholds.yaml"
    short = make_csv(samples=900)
    status, out, err = learn(short, "--output", file)
    assert status == 1 and not file.exists()
    assert "cannot be judged" in out and f"needs {NEEDED}" in out
    assert err.count("\n") == 1 and "no detector could be judged" in err

    status, out, _ = learn(make_csv(reference=False, name="no_reference.csv"))
    assert status == 0
    (line,) = (line for line in out.splitlines() if line.startswith("torque_error"))
    assert "no desired torque" in line


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--learn", "--score"], "--score: not with --learn"),
        (["--learn", "--plot", "x.png"], "--plot: not with --learn"),
        (["--learn", "--detectors", "force"], "expected some of fused"),
        (["--output", "x.yaml"], "expected --learn"),
    ],
)
def test_a_wrong_option_is_one_line(refused, make_csv, arguments, said):
    assert said in refused("detect", make_csv(samples=10), *arguments)


def test_the_real_arms_free_motion_asks_for_higher_momentum_and_acceleration(learn, shared_data):
    file = shared_data / "real" / "panda_free_motion.csv"
    if not file.is_file():
        pytest.skip(f"the recording {file.name} is not there")
    status, out, _ = learn(file, "--json")
    assert status == 0
    found = json.loads(out)["detectors"]
    assert found["fused"]["current_is_fine"]
    assert found["torque_error"]["proposed_threshold"] is None
    assert not found["momentum"]["current_is_fine"]
    assert found["acceleration"]["detections_at_current"] == 2


def test_a_proposal_is_rounded_up_to_three_digits():
    assert proposal("fused", 10.0001) == 15.1
    assert proposal("fused", 10.0) == 15.0
    assert proposal("fused", 0.0) == 9.0
    assert proposal("acceleration", 1234.5) == 1860.0


def test_quantiles_of_a_stream_are_right_to_a_hundredth():
    values = np.random.default_rng(0).lognormal(0.0, 2.0, 20000)
    statistic = RunningStatistic()
    for value in values:
        statistic.add(value)
    assert statistic.largest == values.max()
    for fraction in (0.5, 0.99, 0.999):
        exact = np.quantile(values, fraction, method="inverted_cdf")
        assert exact <= statistic.quantile(fraction) * (1 + 1e-9)
        assert statistic.quantile(fraction) <= 1.0101 * exact
    assert np.isnan(RunningStatistic().quantile(0.5))
