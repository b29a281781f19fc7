# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""An experiment in one process is the experiment over DDS: the same messages, bit by bit."""

import numpy as np
import pytest

pytest.importorskip("rosbags")

from impact_bags import BagReader
from impact_bags.exceptions import AnalysisError, RecordingError
from impact_bags.reading.run_record import Run
from impact_qp.control.guarded import GuardedController
from impact_trials.in_process.run import run_in_process

WALL_CLOCK = {"solve_time", "cycle_time"}
TOPICS = {
    *("/joint_states", "/wrench", "/wrench_batch"),
    *("/impact_qp/command", "/impact_qp/desired_joint_states", "/impact_qp/announcement"),
    *("/impact_qp/status", "/impact_detector/status", "/impact_detector/impact"),
    "/impact_detector/estimate",
}


@pytest.fixture(scope="module")
def run(scenario, tmp_path_factory):
    """A run in one process: how it was run, its time, its reports of progress."""
    reports, tapped = [], []
    given = Run(
        scenario,
        "existential",
        tmp_path_factory.mktemp("in_process") / "run",
        progress=lambda time, gap: reports.append((time, gap)),
        tap=lambda topic, kind, data, time: tapped.append((topic, time, bytes(data))),
    )
    return given, run_in_process(given), reports, tapped


def plain(value):
    """Return a message as nested tuples of bytes and values, without what the wall clock says."""
    if hasattr(value, "__dataclass_fields__"):
        names = [name for name in value.__dataclass_fields__ if name not in WALL_CLOCK]
        return tuple((name, plain(getattr(value, name))) for name in names)
    if isinstance(value, np.ndarray):
        return value.tobytes()
    if isinstance(value, float):
        return np.float64(value).tobytes()
    return tuple(map(plain, value)) if isinstance(value, list | tuple) else value


def recorded(bag):
    """Return times and messages by topic; what was sent again counts once."""
    messages = {topic: [] for topic in TOPICS}
    with BagReader(bag) as reader:
        for topic, time, message in reader.messages(TOPICS):
            entry = time, plain(message)
            if entry not in messages[topic][-1:]:
                messages[topic].append(entry)
    return messages


def test_it_is_what_is_recorded_over_dds(scenario, run, tmp_path):
    pytest.importorskip("rclpy")
    from impact_bags.reading.run_record import Run
    from impact_bringup.experiments.experiment import run_experiment

    over_dds = Run(scenario, "existential", tmp_path / "run")
    report = run_experiment(over_dds)
    own, others = recorded(run[0].bag), recorded(over_dds.bag)
    assert run[1] == report.simulated_seconds
    for topic in sorted(TOPICS):
        assert len(own[topic]) > 0 and own[topic] == others[topic], topic


def test_it_hits_and_goes_on_for_half_a_second(run):
    _, seconds, reports, _ = run
    touched = next(time for time, gap in reports if gap <= 0.0)
    assert seconds - touched == pytest.approx(0.5, abs=0.002)
    assert reports[-1][0] == pytest.approx(seconds)


def test_who_listens_hears_all_that_is_written(run):
    given, _, _, tapped = run
    with BagReader(given.bag) as reader:
        written = [(topic, time, bytes(data)) for topic, time, data in reader.raw()]
    assert sorted(tapped) == sorted(written) and len(written) > 5000


def test_a_recording_that_is_there_is_kept(run):
    with pytest.raises(RecordingError, match="exists already"):
        run_in_process(run[0])


def test_a_controller_that_answers_nothing_any_more_is_one_line(scenario, tmp_path, monkeypatch):
    def nothing(self, *_, **__):
        self.distrust("implausible joint states: for the test")

    monkeypatch.setattr(GuardedController, "cycle", nothing)
    with pytest.raises(AnalysisError, match=r"^the controller stopped: implausible joint states"):
        run_in_process(Run(scenario, "robust", tmp_path))
