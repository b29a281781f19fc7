# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A child process ends with its parent, on request, or by force."""

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from impact_bringup.experiments import child
from impact_bringup.experiments.child import child_process

ROOT = Path(__file__).resolve().parents[2]
TIME_OUT = 20.0  # [s]

OBEDIENT = """
import signal, sys
signal.signal(signal.SIGINT, lambda *_: sys.exit(0))
print("ready", *sys.argv[1:], flush=True)
while True:
    signal.pause()
"""
STUBBORN = """
import signal
signal.signal(signal.SIGINT, signal.SIG_IGN)
print("ready", flush=True)
while True:
    signal.pause()
"""
PARENT = """
import sys
from pathlib import Path
from impact_bringup.experiments.child import child_process
with child_process("stubborn", [], Path(sys.argv[1])) as process:
    print(process.pid, flush=True)
    sys.stdin.read()
"""

needs_linux = pytest.mark.skipif(
    not hasattr(os, "pidfd_open"), reason="only Linux tells a child that its parent has died"
)


@pytest.fixture
def module_path(tmp_path, monkeypatch):
    """A folder with the modules to run, on the children's path."""
    (tmp_path / "obedient.py").write_text(OBEDIENT)
    (tmp_path / "stubborn.py").write_text(STUBBORN)
    before = os.environ.get("PYTHONPATH")
    entries = [str(tmp_path), str(ROOT), *filter(None, [before])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(entries))
    return tmp_path


def wait_until_ready(process, log):
    """Wait until the child has written its line, within the time-out."""
    for _ in range(round(TIME_OUT / 0.02)):
        if log.read_text().endswith("\n"):
            return
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.02)
    raise AssertionError("the child never got ready")


@pytest.mark.usefixtures("module_path")
def test_the_child_runs_in_its_own_session_and_its_output_goes_to_the_log(tmp_path):
    log = tmp_path / "log"
    with child_process("obedient", ["a", "b c"], log) as process:
        wait_until_ready(process, log)
        assert os.getsid(process.pid) == process.pid  # Ctrl-C does not reach it
    assert process.returncode == 0
    assert log.read_text() == "ready a b c\n"


@pytest.mark.usefixtures("module_path")
def test_the_child_ends_when_the_parent_fails(tmp_path):
    log = tmp_path / "log"
    with pytest.raises(ZeroDivisionError), child_process("obedient", [], log) as process:
        wait_until_ready(process, log)
        raise ZeroDivisionError
    assert process.returncode == 0


@pytest.mark.usefixtures("module_path")
@pytest.mark.parametrize("frozen", [False, True])
def test_who_does_not_listen_is_killed(tmp_path, monkeypatch, frozen):
    monkeypatch.setattr(child, "STOP_TIMEOUT", 0.2)
    log = tmp_path / "log"
    with child_process("obedient" if frozen else "stubborn", [], log) as process:
        wait_until_ready(process, log)
        if frozen:
            process.send_signal(signal.SIGSTOP)
    assert process.returncode == -signal.SIGKILL


@pytest.mark.usefixtures("module_path")
def test_a_child_that_has_ended_is_left_alone(tmp_path):
    with child_process("no_such_module", [], tmp_path / "log") as process:
        assert process.wait(TIME_OUT) == 1
    assert "No module named no_such_module" in (tmp_path / "log").read_text()


@needs_linux
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_the_child_dies_with_its_parent_however_that_ends(module_path, number):
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(module_path / "log")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert select.select([parent.stdout], [], [], TIME_OUT)[0]
        descriptor = os.pidfd_open(int(parent.stdout.readline()))
        assert not select.select([descriptor], [], [], 0)[0]  # it lives
        parent.send_signal(number)
        assert select.select([descriptor], [], [], TIME_OUT)[0], "the child outlived its parent"
        os.close(descriptor)
    finally:
        parent.kill()
        parent.communicate()
