# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Bash completes commands, options, choices and names, by what `impact completion` prints."""

import shutil
import subprocess

import pytest

from impact_cli.command_line import run
from impact_cli.command_names import COMMANDS, OF_CHECKOUT


@pytest.fixture(scope="module")
def complete():
    """A function that returns what bash offers for the last of some words."""
    if shutil.which("bash") is None:
        pytest.skip("no bash")
    with pytest.MonkeyPatch.context() as patch:
        import io

        printed = io.StringIO()
        patch.setattr("sys.stdout", printed)
        assert run(["completion"]) == 0

    def offered(*words, command="impact"):
        line = " ".join(f"'{word}'" for word in (command, *words))
        script = (
            f"{printed.getvalue()}\nCOMP_WORDS=({line}); COMP_CWORD={len(words)}; _impact;"
            ' printf "%s\\n" "${COMPREPLY[@]}"'
        )
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stderr) == (0, "")
        return set(done.stdout.split())

    return offered


def test_commands(complete):
    assert complete("") == set(COMMANDS)
    assert complete("pl") == {"plan"}
    assert complete("", command="./impact") == {*COMMANDS, *OF_CHECKOUT}


def test_options_of_the_command(complete):
    assert complete("demo", "--vi") == {"--view"}
    assert {"--robot", "--json", "--optimize"} <= complete("plan", "--")
    assert "--optimize" not in complete("predict", "--")


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (("demo", "--scenario", "qp_panda_d"), "qp_panda_demo"),
        (("demo", "--scenario", "qp_hrp4"), "qp_hrp4_grab"),
        (("simulate", "iim_wall_cfg1"), "iim_wall_cfg1"),
        (("plan", "--robot", "panda_"), "panda_plate"),
        (("compare", "fr"), "fr3"),
        (("plan", "--impact-limits", "rob"), "robust"),
        (("bench", "qp_l"), "qp_loop"),
    ],
)
def test_names_and_choices(complete, words, name):
    assert name in complete(*words)


def test_nothing_for_a_file_so_that_bash_completes_it(complete):
    assert complete("detect", "") == set()
