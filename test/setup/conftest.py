# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A checkout in a temporary folder, and stand-ins for pip and colcon."""

import sys
from pathlib import Path

import pytest
from impact_setup import checks, interpreter, steps
from impact_setup.layout import Layout
from impact_setup.runner import Runner

SOURCES = {
    "requirements.txt": "numpy==1.0\n",
    "setup.py": "",
    "package.xml": "<package/>",
    "impact_msgs/msg/Event.msg": "float64 speed\n",
    "impact_robots/__init__.py": "",
}


@pytest.fixture
def layout(tmp_path):
    """A small checkout."""
    for name, text in SOURCES.items():
        file = tmp_path / "checkout" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return Layout(tmp_path / "checkout")


class Killed(BaseException):
    """Stands for SIGKILL: nothing in the set-up handles it."""


class FakeStarted:
    """A started command."""

    def __init__(self, command, commands):
        self.command = command
        self.stop = lambda: commands.stopped.append(commands.name_of(command))


class FakeCommands:
    """Does what venv, pip and colcon leave behind, and keeps the order they were called in."""

    def __init__(self, layout):
        self.layout = layout
        self.called = []
        self.stopped = []
        self.fail_at = None
        self.failure = Killed()

    def start(self, runner, command, environ):
        self.called.append(self.name_of(command))
        return FakeStarted(command, self)

    def finish(self, runner, started):
        """Do what the command does."""
        name = self.name_of(started.command)
        if name == "venv":
            self.layout.python.parent.mkdir(parents=True)
            self.layout.python.symlink_to(sys.executable)
        if self.fail_at == name:
            raise self.failure
        if name in ("impact_msgs", "impact_control"):
            self.layout.install(name).mkdir(parents=True)
            (self.layout.root / "install" / "setup.sh").write_text("PYTHONPATH=/built\n")

    @staticmethod
    def name_of(command):
        if "colcon" in command[0]:
            return command[command.index("--packages-select") + 1]
        return command[command.index("-m") + 1]


@pytest.fixture
def commands(layout, monkeypatch):
    """The stand-ins, in place of the real commands."""
    fake = FakeCommands(layout)
    monkeypatch.setattr(Runner, "start", lambda *arguments: fake.start(*arguments))
    monkeypatch.setattr(Runner, "finish", lambda *arguments: fake.finish(*arguments))
    monkeypatch.setattr(steps, "include_folders", lambda python: ("/numpy", "/python"))
    monkeypatch.setattr(interpreter, "choose", lambda found, source: a_python())
    monkeypatch.setattr(checks, "require_space", lambda root, needed: None)
    monkeypatch.setattr(checks, "require_compiler", lambda environ: None)
    return fake


def a_python(version="3.11", has_venv=True, has_headers=True):
    return interpreter.Interpreter(f"/usr/bin/python{version}", version, has_venv, has_headers)


@pytest.fixture
def killed():
    return Killed


@pytest.fixture
def make_python():
    return a_python


@pytest.fixture
def stand_in(tmp_path):
    """A function that makes an install prefix with rclpy, as a distribution has it."""

    def make(name="jazzy", python="3.12", folder="lib/python{}/site-packages/rclpy") -> Path:
        prefix = tmp_path / "opt" / "ros" / name
        (prefix / folder.format(python)).mkdir(parents=True)
        return prefix

    return make
