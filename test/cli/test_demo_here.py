# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The demo without ROS: said in one line, and run in this process; its figures: test_builds.py."""

import sys

import pytest

pytest.importorskip("rosbags")

from impact_bags import BagReader
from impact_cli.demo.demo_here import must_run_here, run_here
from impact_cli.exceptions import RosNeededError
from impact_sim import load_scenario


@pytest.fixture
def no_ros(monkeypatch):
    monkeypatch.setitem(sys.modules, "impact_bringup.experiments.experiment", None)


def test_without_ros_it_says_so_in_one_line(no_ros, capsys):
    assert must_run_here(realtime=False)
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    assert err.startswith("demo: no ROS 2 (") and "running without DDS in this process" in err


def test_real_time_needs_ros(no_ros):
    with pytest.raises(RosNeededError, match=r"^demo --realtime needs ROS 2 \("):
        must_run_here(realtime=True)


def test_with_ros_it_runs_over_dds(capsys):
    pytest.importorskip("rclpy")
    assert not must_run_here(realtime=False)
    assert capsys.readouterr() == ("", "")


def test_a_run_here_is_recorded_told_and_heard(tmp_path, capsys):
    heard = []
    settings = 3, False, lambda topic, *_: heard.append(topic)
    missed = run_here(
        load_scenario("qp_panda_demo"), "unaware", tmp_path / "run", settings, "[1/4] unaware"
    )
    assert missed == 0
    told = capsys.readouterr().err.splitlines()
    assert told[0] == "[1/4] unaware ..." and told[1].startswith("[1/4] unaware done, 0.8")
    with BagReader(tmp_path / "run" / "bag") as bag:
        assert sum(info.message_count for info in bag.topics.values()) == len(heard)
