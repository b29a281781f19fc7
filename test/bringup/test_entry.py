# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C while a console script imports what it needs: one line, never a traceback."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from console_scripts import console_scripts

ROOT = Path(__file__).resolve().parents[2]
TIME_OUT = 60.0  # [s]
INTERRUPTED = "import os, signal\nos.kill(os.getpid(), signal.{})\nraise ImportError('went on')\n"


def run(code, folder):
    """Run Python code with a folder and the checkout on its path."""
    path = os.pathsep.join([str(folder), str(ROOT), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=TIME_OUT,
        check=False,
    )


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_within_the_imports_of_a_node_ends_it_in_one_line(tmp_path, name):
    (tmp_path / "slow.py").write_text(INTERRUPTED.format(name))
    code = "import sys; sys.argv = ['/bin/a_node']; from impact_bringup import entry; "
    ended = run(code + "sys.exit(entry._entry('slow')())", tmp_path)
    assert (ended.returncode, ended.stderr) == (0, f"a_node: stopped ({name})\n")


def test_ctrl_c_within_the_imports_of_the_checkouts_entry_is_silent(tmp_path):
    (tmp_path / "impact_setup").mkdir()
    (tmp_path / "impact_setup" / "cli.py").write_text(INTERRUPTED.format("SIGINT"))
    (tmp_path / "__main__.py").write_text((ROOT / "tools" / "__main__.py").read_text())
    ended = subprocess.run(
        [sys.executable, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=TIME_OUT,
    )
    assert (ended.returncode, ended.stderr) == (-signal.SIGINT, "")


WHILE_NUMPY_LOADS = """
import os, signal, sys
class Interrupts:
    def find_spec(name, *_):
        if name == "numpy":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupts)
sys.argv = ["impact", "predict"]
from impact_cli.__main__ import main
sys.exit(main())
"""


def test_ctrl_c_within_the_first_imports_of_a_command_is_one_line(tmp_path):
    ended = run(WHILE_NUMPY_LOADS, tmp_path)
    assert (ended.returncode, ended.stderr) == (130, "impact: interrupted\n")


def test_every_node_starts_where_signals_are_handled_first():
    scripts = console_scripts()
    assert len(scripts) > 5
    assert scripts.pop("impact") == ("impact_cli.__main__", "main")
    for name, target in scripts.items():
        assert target == ("impact_bringup.entry", name)


def test_the_entry_itself_imports_nothing_heavy():
    code = "import sys; import impact_bringup.entry; print(*sys.modules)"
    loaded = run(code, ROOT).stdout.split()
    assert "impact_bringup.entry" in loaded
    assert not {"numpy", "scipy", "pinocchio"} & set(loaded)


@pytest.mark.parametrize("name", [name for name in console_scripts() if name != "impact"])
def test_an_executable_without_ros_says_so_in_one_line(tmp_path, name):
    """Installed by pip alone, it ended in a traceback."""
    code = f"import sys; sys.argv = ['/bin/{name}']; sys.modules['rclpy'] = None; "
    code += f"from impact_bringup import entry; sys.exit(entry.{name}())"
    ended = run(code, tmp_path)
    assert ended.returncode == 2
    assert ended.stderr.startswith(f"{name}: needs ROS 2, of which rclpy")
    assert ended.stderr.count("\n") == 1


def test_a_module_of_ours_that_is_missing_is_a_defect_and_no_missing_ros(tmp_path):
    (tmp_path / "broken.py").write_text("import impact_qp.of_nobody\n")
    code = "import sys; sys.argv = ['/bin/a_node']; from impact_bringup import entry; "
    ended = run(code + "entry._entry('broken')()", tmp_path)
    assert ended.returncode == 1 and "No module named 'impact_qp.of_nobody'" in ended.stderr
