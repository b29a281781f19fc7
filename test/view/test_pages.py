# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The page: served on this machine, drawn by a browser without a window, ended by Ctrl-C."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from impact_cli.command_line import run as run_command
from impact_view.exceptions import ViewError
from impact_view.live import LiveRun
from impact_view.live_feed import LiveFeed
from impact_view.scene.player import Player
from impact_view.web.browser import find_browser, headless_browser
from impact_view.web.server import address, view_server

ROOT = Path(__file__).resolve().parents[2]
SIZE = (320, 240)
TIME_OUT = 120.0

needs_browser = pytest.mark.skipif(find_browser() is None, reason="no Chromium to draw pictures")


def start(*arguments):
    """Start a command in a process group of its own, as a shell does."""
    entries = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return subprocess.Popen(
        [sys.executable, "-m", "impact_cli", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(entries)},
        start_new_session=True,
    )


def pixels(image, color, by=60):
    """Return how many pixels have more of one of red, green and blue than of the others."""
    channel = image.astype(int)
    others = np.delete(channel, color, axis=2).max(axis=2)
    return int(np.sum(channel[..., color] > others + by))


@needs_browser
def test_a_picture_shows_force_and_impulses_of_a_hit_and_none_before(record, panda, port):
    touch = record.time[record.contact_starts[0]]
    with view_server(port, "test") as server:
        player = Player(server, panda)
        player.add("hit", lambda: record)
        images = {}
        with headless_browser(server, *SIZE) as browser:
            for time in (0.0, touch + 0.004):
                player.time = time
                player.show()
                images[time] = browser.picture(*SIZE)
    before, at_touch = images.values()
    assert before.shape == (SIZE[1], SIZE[0], 3)
    assert np.mean(before.min(axis=2) < 240) > 0.1  # the arm, the wall, the floor
    assert pixels(before, 0) == 0 and pixels(at_touch, 0) > 30
    assert pixels(at_touch, 2, by=25) > pixels(before, 2, by=25) + 100


@needs_browser
def test_the_command_draws_a_picture(hit, tmp_path, port, capsys):
    path = tmp_path / "hit.png"
    assert run_command(["view", str(hit[0]), "--picture", str(path), f"--port={port}"]) == 0
    assert capsys.readouterr().out == f"picture: {path}\n"
    with Image.open(path) as image:
        assert pixels(np.asarray(image.convert("RGB")), 0) > 200


def test_the_page_loads_nothing_from_elsewhere(port):
    with view_server(port, "test") as server:
        page = urllib.request.urlopen(address(server), timeout=TIME_OUT).read().decode()
    assert len(page) > 100_000
    addresses = re.findall(r"""(?:src|href)=["'](https?:[^"']*)""", page)
    assert addresses == []


def test_serving_prints_nothing(port, capfd):
    with view_server(port, "test"):
        pass
    assert capfd.readouterr() == ("", "")


def test_a_port_that_is_taken_is_one_line(hit, port, capsys):
    with socket.socket() as other:
        other.bind(("127.0.0.1", port))
        other.listen()
        assert run_command(["view", str(hit[0]), f"--port={port}", "--no-browser"]) == 1
        with pytest.raises(ViewError):
            LiveFeed("panda", port, browser=False)
    line = f"impact: --port: cannot listen on port {port} (Address already in use)"
    assert capsys.readouterr().err == f"{line}; choose another one\n"


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["nowhere"], "impact: nowhere: no such file or folder"),
        (["{}", "--robot", "pandaa"], "expected one of cassie, fr3, hrp4, panda"),
        (["{}", "--state-topic", "/other"], "no joint states on '/other'; the bag has /"),
        (["{}", "--port", "0"], "expected a port from 1 to 65535, got '0'"),
        (["{}", "--time", "1,2", "--picture", "x.png"], "expected one time in seconds, got '1,2'"),
    ],
)
def test_wrong_usage_is_one_line(hit, arguments, line, refused):
    given = [each.format(hit[0]) for each in arguments]
    assert line in refused("view", *given, "--no-browser")


def test_ctrl_c_ends_the_command(hit, port):
    process = start("view", hit[0].parents[1], f"--port={port}", "--no-browser")
    try:
        said = process.stderr.readline()
        assert said == f"http://127.0.0.1:{port}  (Ctrl-C ends it)\n"
        assert urllib.request.urlopen(said.split()[0], timeout=TIME_OUT).status == 200
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=TIME_OUT) == ("", "")
        assert process.returncode == 0
    finally:
        process.kill()


# --- live -------------------------------------------------------------------------------------


def test_what_is_shown_live_is_what_is_shown_of_the_recording(hit, record, panda):
    from impact_bags import impact_typestore

    messages, feed = hit[1], LiveFeed.__new__(LiveFeed)
    feed._waiting = []
    for message in messages:
        feed.tap(*message, 0)
    assert 0 < len(feed._waiting) < len(messages)  # commands and references are not shown
    run = LiveRun("joint_load", panda, impact_typestore())
    for message in feed._waiting:
        run.add(message)
    live = run.collector.record()
    for name in ("time", "q", "dq", "force", "normal_speed", "speed_bound", "gap"):
        shown, recorded = getattr(live, name), getattr(record, name)
        assert np.array_equal(shown, recorded, equal_nan=True), name
    assert live.mode == record.mode and live.detections == record.detections
    assert live.impulse == pytest.approx(record.impulse, abs=1e-12)


def test_a_feed_serves_the_page_until_it_is_closed(hit, port):
    with LiveFeed("panda", port, browser=False) as feed:
        feed.begin("joint_load")
        for message in hit[1][:600]:
            feed.tap(*message, 0)
        process = feed._process
        page = None
        while page is None and process.poll() is None:
            with contextlib.suppress(OSError):  # it is not listening yet
                page = urllib.request.urlopen(f"http://127.0.0.1:{port}", timeout=TIME_OUT)
        assert page is not None and page.status == 200
    assert process.poll() is not None


def test_a_viewer_that_has_died_does_not_stop_the_run(port):
    with LiveFeed("no such robot", port, browser=False) as feed:
        assert feed._process.wait(TIME_OUT) == 1
        feed.begin("run")
        for _ in range(3):
            feed.tap("/joint_states", "sensor_msgs/msg/JointState", bytes(100_000), 0)
        feed._sender.join(TIME_OUT)
        feed.tap("/joint_states", "sensor_msgs/msg/JointState", bytes(100_000), 0)
        assert not feed._waiting  # a long run does not fill the memory
        feed.watch()
