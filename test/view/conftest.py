# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One hit, recorded in this process, and what the viewer makes of it."""

import socket

import pytest

pytest.importorskip("rosbags")
pytest.importorskip("viser")


@pytest.fixture(scope="session")
def hit(tmp_path_factory):
    """Folder of the bag of a hit, and all messages that were recorded into it."""
    from impact_bags.reading.run_record import Run
    from impact_sim import load_scenario
    from impact_trials.in_process.run import run_in_process

    tapped = []
    folder = tmp_path_factory.mktemp("hit") / "joint_load"
    run = Run(
        load_scenario("qp_panda_demo"),
        "joint_load",
        folder,
        tap=lambda topic, kind, data, _: tapped.append((topic, kind, bytes(data))),
    )
    run_in_process(run)
    return run.bag, tapped


@pytest.fixture(scope="session")
def record(hit, panda):
    from impact_bags.bag_recording import TopicChoice
    from impact_view.run.recorded_run import read_view

    return read_view(hit[0], panda, TopicChoice())


@pytest.fixture(scope="session")
def timeline(record, panda):
    from impact_view.scene.instant import Timeline

    return Timeline(record, panda)


@pytest.fixture
def port():
    """A port that is free."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
