# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Slow tests, with their times by ``--durations``."""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from pathlib import Path

# Files of tests that whoever edits wants to hear at once, whatever they take.
QUICK = ("setup/test_house.py", "setup/test_doc_pages.py")

# Files, longest first: where processes share them, the last ones end together.
LONGEST = (
    "pages/test_pages.py",
    "qp/test_promises.py",
    "trials/test_spreading_mishaps.py",
    "trials/test_spreading_loop.py",
    "cli/test_demo.py",
    "drivers/node/test_franka_processes.py",
    "drivers/node/test_franka_learns.py",
    "analysis/test_analyze.py",
    "qp/test_mishaps.py",
    "launch/test_processes.py",
    "analysis/test_report.py",
    "trials/test_simulate.py",
    "studies/test_reproduce.py",
    "analysis/test_evaluate.py",
    "bringup/test_experiment.py",
    "view/test_pages.py",
    "trials/test_learning_loop.py",
    "trials/test_touch.py",
    "trials/test_spreading_trials.py",
)

# Tests, and fixtures with all tests that use them, of a minute or more: marked long, slow as well.
LONG = {
    "cli/test_hammer_demo.py": ("test_a_handle_and_learning_take_a_third_of_the_strikes",),
    "drivers/node/test_franka_learns.py": ("test_a_surface_is_learned_by_way_of_libfranka",),
    "setup/test_builds.py": (
        "test_plain_colcon_builds_and_tests_the_repository",
        "test_without_ros_the_demo_has_the_figures_of_dds",
        "test_without_ros_the_demo_is_shown_live_with_the_same_figures",
    ),
    "studies/test_learned_walls.py": ("test_drawn_walls_are_learned_and_none_is_hit_too_fast",),
}

# Tests, and fixtures with all tests that use them, of LEAST or more: marked slow. One a line,
# path::name; `python test/measured_times.py LOG` prints what a LOG of `--durations 0` adds to them.
SLOW: dict[str, set[str]] = {}
for line in (Path(__file__).parent / "slow_tests.txt").read_text().split():
    file, test = line.split("::")
    SLOW.setdefault(file, set()).add(test)

LEAST = 1.5  # of all cases of a test together, on an idle machine [s]


def slow_in(log: str, least: float) -> list[str]:
    """Return the tests that are not listed and take longer, as lines of ``slow_tests.txt``.

    Args:
        log: what ``pytest --durations 0`` printed.
        least: time of all cases of a test together [s].
    """
    taken: defaultdict[tuple[str, str], float] = defaultdict(float)
    row = r"^([\d.]+)s (?:call|setup|teardown) +test/(\S+?)::([^\[\s]+)"
    for time, file, test in re.findall(row, log, re.MULTILINE):
        taken[file, test] += float(time)
    known = [(file, test) for file, tests in SLOW.items() for test in tests]
    return sorted(
        f"{file}::{test}"
        for (file, test), time in taken.items()
        if time >= least and (file, test) not in known and file not in QUICK
    )


if __name__ == "__main__":
    print(*slow_in(Path(sys.argv[1]).read_text(), LEAST), sep="\n")
