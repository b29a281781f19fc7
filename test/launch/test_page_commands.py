# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What the pages tell one to type exists: commands with their options, launch files, arguments."""

import re
import shlex
from pathlib import Path

import pytest
from console_scripts import console_scripts
from printed_pages import PAGES, ROOT, read

from impact_cli.command_line import make_parser, with_negative_vectors
from impact_cli.command_names import COMMANDS

FILES = {path.name.removesuffix(".launch.py") for path in ROOT.glob("launch/*.launch.py")}
NODES = {"franka", "impact_sim", "impact_detector", "impact_predictor"}
NODES |= {"impact_qp", "impact_spreading", "impact_humanoid", "impact_governor"}
OF_THE_CHECKOUT = {"setup", "shell", "test", "doc", "wheels"}  # commands of ./impact beside those
VERBS = {"configure", "activate", "deactivate", "cleanup", "shutdown"}
PLACEHOLDER = re.compile(r"\.\.\.|\b[A-Z]{4,}\b")


def of(*starts):
    """Return the words of each command that begins so and has no placeholder, with its page."""
    return [
        pytest.param(shlex.split(step.text.split(" | ")[0]), id=f"{path.stem}: {step.text[:60]}")
        for path in PAGES
        for step in read(path.read_text())
        if step.kind == "shell"
        and step.text.startswith(starts)
        and not PLACEHOLDER.search(step.text)
    ]


IMPACT, LAUNCH = of("./impact ", "impact "), of("ros2 launch impact_control ")
LIFECYCLE, RUN = of("ros2 lifecycle set "), of("ros2 run impact_control ")


def test_there_are_lines_to_be_tested():
    assert len(IMPACT) > 30 and len(LAUNCH) > 10 and len(LIFECYCLE) > 5


@pytest.mark.parametrize("words", IMPACT)
def test_a_command_has_its_options(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("thresholds.yaml").write_text("impact_detector: {ros__parameters: {fused_threshold: 9.0}}")
    Path("normals.csv").write_text("recording,normal_x,normal_y,normal_z\nhit,-1,0,0\n")
    Path("mine.yaml").write_text("like: rs_grab_catfood_case1")
    Path("palms_world.yaml").write_text("like: qp_hrp4_grab")
    command = words[1]
    assert command in OF_THE_CHECKOUT | set(COMMANDS)
    if command in COMMANDS:
        make_parser(command).parse_args(with_negative_vectors(words[1:]))


@pytest.mark.parametrize("words", LAUNCH)
def test_a_launch_file_has_its_arguments(words, launch_file):
    name = words[3].removesuffix(".launch.py")
    assert name in FILES
    arguments = launch_file(name).arguments
    for word in words[4:]:
        argument, given, value = word.partition(":=")
        assert given and argument in arguments, word
        choices = arguments[argument].choices
        assert choices is None or value in choices, word


@pytest.mark.parametrize("words", LIFECYCLE)
def test_a_node_and_its_transition_exist(words):
    assert words[3].lstrip("/") in NODES
    assert words[4] in VERBS


@pytest.mark.parametrize("words", RUN)
def test_an_executable_exists(words):
    assert words[3] in console_scripts()
