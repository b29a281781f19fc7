# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The entry script on machines that lack something."""

import os
import shutil
import subprocess
import sys

import pytest

TIMEOUT_S = 120
SHELL_TOOLS = ("sh", "dirname", "readlink")


@pytest.fixture
def checkout(tmp_path, project_root):
    """A checkout with nothing set up."""
    root = tmp_path / "checkout"
    (root / "impact_msgs").mkdir(parents=True)
    shutil.copy(project_root / "impact", root)
    shutil.copytree(
        project_root / "tools", root / "tools", ignore=shutil.ignore_patterns("__pycache__")
    )
    (root / "requirements.txt").write_text("numpy==2.2.6\n")
    return root


@pytest.fixture
def tools(tmp_path):
    """A folder for PATH that holds the bare minimum of commands."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in SHELL_TOOLS:
        (folder / name).symlink_to(shutil.which(name))
    return folder


def script(file, text):
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)


def call(checkout, tools, *arguments, **variables):
    return subprocess.run(
        [str(checkout / "impact"), *arguments],
        env={"PATH": str(tools), "HOME": str(tools), **variables},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )


def with_python(tools):
    (tools / "python3").symlink_to(os.path.realpath(sys.executable))
    return tools


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"]])
def test_help_needs_no_set_up(arguments, checkout, tools):
    answer = call(checkout, with_python(tools), *arguments)
    assert answer.returncode == 0
    assert "  demo  " in answer.stdout
    assert not (checkout / ".venv").exists()


@pytest.mark.parametrize("arguments", [["shell", "ls"], ["shell", "--"], ["setup", "now"]])
def test_wrong_usage_is_said_before_anything_is_set_up(arguments, checkout, tools):
    answer = call(checkout, with_python(tools), *arguments)
    assert answer.returncode == 2
    assert answer.stderr.count("\n") == 1
    assert f"got {' '.join(arguments)}" in answer.stderr or "got now" in answer.stderr
    assert not (checkout / ".venv").exists()


def test_too_old_a_python(checkout, tools):
    script(tools / "python3", 'case "$1" in -V) echo Python 3.8.10;; *) exit 1;; esac')
    answer = call(checkout, tools, "demo")
    assert answer.returncode == 1
    assert answer.stderr == (
        "impact: Python 3.10 to 3.13 is needed, found Python 3.8.10; "
        "install one or set PYTHON to it\n"
    )


def test_no_python(checkout, tools):
    answer = call(checkout, tools, "demo")
    assert answer.returncode == 1
    assert answer.stderr.count("\n") == 1
    assert "Python 3.10 to 3.13 is needed" in answer.stderr


def test_no_compiler(checkout, tools):
    answer = call(checkout, with_python(tools), "demo")
    assert answer.returncode == 1
    assert answer.stderr == (
        "impact: no C++ compiler: looked for c++, g++, clang++ (Debian, Ubuntu: apt install g++)\n"
    )
    assert not (checkout / ".venv").exists()


def test_no_network(checkout, tools):
    script(tools / "c++", "exit 0")
    nowhere = "http://127.0.0.1:9/"
    answer = call(
        checkout,
        with_python(tools),
        "demo",
        PIP_CONFIG_FILE=os.devnull,
        PIP_INDEX_URL=nowhere,
        PIP_RETRIES="1",
    )
    assert answer.returncode == 1
    assert "no network: pip cannot reach the package index (log: " in answer.stderr
    assert "Traceback" not in answer.stderr
    assert "Connection refused" in (checkout / ".setup" / "setup.log").read_text()


def test_an_unsupported_distribution(checkout, tools):
    answer = call(
        checkout,
        with_python(tools),
        "demo",
        ROS_DISTRO="humble",
        AMENT_PREFIX_PATH="/opt/ros/humble",
    )
    assert answer.returncode == 1
    assert answer.stderr.startswith("impact: ROS 2 humble is sourced; supported are jazzy, ")
    assert answer.stderr.count("\n") == 1
