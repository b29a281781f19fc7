# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A humanoid's grab is shown as recorded: its base moves, its palms feel, boxes have sizes."""

import numpy as np
import pytest

pytest.importorskip("mujoco")

from PIL import Image

from impact_bags import BagReader, BagWriter, RecordingError, impact_typestore
from impact_bags.bag_recording import TopicChoice
from impact_bags.writing.message_maker import MessageMaker
from impact_cli.command_line import run as run_command
from impact_robots import ArmDynamics, load_robot
from impact_ros.exceptions import MessageError
from impact_sim.humanoid.grab_file import load_grab
from impact_trials.grab.grab_bag import GrabBag
from impact_trials.grab.grab_trial import GrabTrial
from impact_trials.grab.haste import in_haste
from impact_view.live import FreeRun
from impact_view.run.free_collector import FreeCollector
from impact_view.run.recorded_run import read_view
from impact_view.scene.instant import Timeline
from impact_view.web.browser import find_browser
from impact_view.web.camera import STANDARD, camera_of

CYCLES = 80  # the palms touch in the 52nd
ANY = TopicChoice()


@pytest.fixture(scope="module")
def scenario():
    return in_haste(load_grab("qp_hrp4_grab"), "unaware")


@pytest.fixture(scope="module")
def hrp4(scenario):
    return load_robot(scenario.robot)


@pytest.fixture(scope="module")
def grab(tmp_path_factory, scenario):
    """Path of a bag, its cycles, and all messages that were recorded into it."""
    path, cycles, tapped = tmp_path_factory.mktemp("grab") / "bag", [], []

    def tap(topic, kind, data, _time):
        tapped.append((topic, kind, bytes(data)))

    with GrabBag(path, scenario, impact_typestore(), tap=tap) as bag:
        trial = GrabTrial(scenario, record=lambda cycle: (cycles.append(cycle), bag.add(cycle)))
        seen = trial.begin()
        for _ in range(CYCLES):
            seen = trial.cycle(seen)
    return path, cycles, tapped


@pytest.fixture(scope="module")
def record(grab, hrp4):
    return read_view(grab[0], hrp4, ANY)


def test_every_state_is_there_with_its_base(record, grab):
    measured = [cycle.measured for cycle in grab[1]]
    assert len(record) == CYCLES and record.limits == "unaware"
    np.testing.assert_array_equal(record.q, [each.q for each in measured])
    np.testing.assert_array_equal(record.dq, [each.v for each in measured])
    assert np.ptp(record.q[:, :3], axis=0).max() > 1e-3  # it moves
    assert [*dict.fromkeys(record.mode)] == ["approach", "clamp", "grip"]


def test_palms_feel_what_was_measured(record, grab):
    forces = np.array([cycle.measured.palm_forces for cycle in grab[1]])
    assert [palm.frame for palm in record.palms] == ["left_palm", "right_palm"]
    for k, palm in enumerate(record.palms):
        np.testing.assert_array_equal(palm.force, forces[:, k])
    largest = np.linalg.norm(forces, axis=2).max(axis=1)
    np.testing.assert_array_equal(np.linalg.norm(record.force, axis=1), largest)


def test_boxes_are_where_they_are_and_as_large_as_they_are(record, grab, scenario):
    (box,) = record.boxes
    np.testing.assert_allclose(box.size, scenario.box_size)
    np.testing.assert_array_equal(box.poses[:, :3], [c.boxes[0].position for c in grab[1]])


def test_an_instant_has_arrows_at_both_palms_and_the_speed_of_the_faster(record, hrp4):
    timeline, dynamics = Timeline(record, hrp4), ArmDynamics(hrp4, "all")
    touch = int(np.argmax(np.linalg.norm(record.force, axis=1)))
    instant = timeline.at(record.time[touch])
    state = dynamics.state(record.q[touch], record.dq[touch])
    for (place, felt), palm in zip(instant.palms, record.palms, strict=True):
        np.testing.assert_allclose(place, state.at(palm.frame).position, atol=1e-12)
        np.testing.assert_allclose(felt, timeline.force_scale * palm.force[touch])
    assert instant.force is None and instant.impulse is None
    np.testing.assert_array_equal(instant.boxes[0], record.boxes[0].poses[touch])
    before = touch - 5
    state = dynamics.state(record.q[before], record.dq[before])
    speeds = [np.linalg.norm(state.at(p.frame).velocity) for p in record.palms]
    assert timeline.speed[before] == pytest.approx(max(speeds))
    assert "phase approach" in timeline.at(record.time[before]).lines


def test_what_is_shown_while_it_is_made_is_the_same(record, grab, hrp4):
    run = FreeRun("unaware", hrp4, impact_typestore())
    assert len(run.collector) == 0
    for message in grab[2]:
        run.add(message)
    live = run.collector.record()
    for name in ("time", "q", "dq", "force", "speed_bound"):
        np.testing.assert_array_equal(getattr(live, name), getattr(record, name))
    assert live.mode == record.mode


def test_messages_of_a_time_may_come_in_any_order(record, grab, hrp4):
    collector = FreeCollector(hrp4)
    with BagReader(grab[0]) as bag:
        read = [(topic, message) for topic, _, message in bag.messages(list(bag.topics))]
    for topic in sorted({topic for topic, _ in read}, reverse=True):
        for own, message in read:
            if own == topic:
                collector.add(topic, message.__msgtype__, message)
    mixed = collector.record()
    np.testing.assert_array_equal(mixed.q, record.q)
    np.testing.assert_array_equal(mixed.force, record.force)


def test_joints_of_another_robot_are_refused(grab):
    with pytest.raises(MessageError, match="missing"):
        collector = FreeCollector(load_robot("cassie"))
        with BagReader(grab[0]) as bag:
            for topic, _, message in bag.messages(["/joint_states"]):
                collector.add(topic, message.__msgtype__, message)


def test_without_a_base_it_is_one_line(tmp_path, hrp4):
    with BagWriter(tmp_path / "bag") as writer:
        make, n = MessageMaker(writer.typestore, "world"), hrp4.dof
        state = make.joint_state(1_000_000_000, hrp4.joint_names, *np.zeros((3, n)))
        writer.write("/joint_states", *state, 1_000_000_000)
    with pytest.raises(RecordingError, match="expected joint states of hrp4 and nav_msgs/Odometry"):
        read_view(tmp_path / "bag", hrp4, ANY)


@pytest.mark.skipif(find_browser() is None, reason="needs Chromium")
def test_a_picture_shows_box_and_forces(grab, hrp4, tmp_path, port):
    path = tmp_path / "grab.png"
    given = ["view", str(grab[0]), "--robot", "hrp4", "--picture", str(path), f"--port={port}"]
    assert run_command(given) == 0
    with Image.open(path) as image:
        pixels = np.asarray(image.convert("RGB")).astype(int)
    red, green, blue = (pixels[..., k] for k in range(3))
    assert np.sum(red > np.maximum(green, blue) + 60) > 100  # arrows
    assert np.sum((red > green + 10) & (green > blue + 10)) > 2000  # the box


def test_the_camera_stands_back_from_who_is_tall(hrp4, panda):
    assert camera_of(panda) is STANDARD
    away = np.linalg.norm(np.subtract(camera_of(hrp4).position, camera_of(hrp4).target))
    assert away > 2.0
