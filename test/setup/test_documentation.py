# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Sphinx is installed when it is first asked for, beside the virtual environment."""

import os

import pytest
from impact_setup import documentation
from impact_setup.cli import command_line
from impact_setup.distribution import RosSource
from impact_setup.errors import SetupError


@pytest.fixture
def prepare(layout, commands):
    """A function that prepares and returns the commands that took and the search path."""
    (layout.root / "doc").mkdir()
    (layout.root / "doc" / "requirements.txt").write_text("sphinx==9.0\n")

    def run():
        commands.called.clear()
        paths = documentation.prepare(
            {"PATH": "/usr/bin:/bin"}, layout, RosSource(), {"PYTHONPATH": "/checkout"}
        )
        return commands.called, paths["PYTHONPATH"].split(os.pathsep)

    return run


def test_the_first_call_installs_and_the_second_does_not(prepare, layout):
    assert prepare() == (["pip"], [str(layout.sphinx), "/checkout"])
    assert prepare() == ([], [str(layout.sphinx), "/checkout"])


def test_a_changed_requirement_installs_anew_and_leaves_nothing_old(prepare, layout):
    prepare()
    (layout.sphinx / "old.py").touch()
    (layout.root / "doc" / "requirements.txt").write_text("sphinx==10.0\n")
    assert prepare()[0] == ["pip"]
    assert not (layout.sphinx / "old.py").exists()


def test_what_failed_is_tried_again(prepare, commands):
    commands.fail_at, commands.failure = "pip", SetupError("no network")
    with pytest.raises(SetupError):
        prepare()
    commands.fail_at = None
    assert prepare()[0] == ["pip"]


def test_arguments_go_to_sphinx_and_warnings_are_errors(layout):
    call = command_line("doc", ["-b", "linkcheck"], layout, {})
    assert call[1:3] == ["-m", "sphinx"]
    assert "--fail-on-warning" in call
    assert call[-4:] == ["-b", "linkcheck", str(layout.root / "doc"), str(layout.build("doc"))]
