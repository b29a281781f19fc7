# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Commands of the pages that are not run here, with the reason, and those that take long."""

import re

# Expressions that are looked for in a command: what matches first is its reason.
NOT_RUN = {
    r"\b[A-Z][A-Z_]{2,}\b(?!\.npz=)|\.\.\. |\[--|\|LOW": "has a placeholder for what is the reader's",
    r"^ros2 ": "ros2cli and launch are not on PyPI; test/launch checks names and arguments",
    r"^sudo |^pip |^colcon |^taskset ": "changes the machine",
    r"^\./impact (test|setup|doc|shell)\b": "is this run, or a step of its own in .ci/run",
    r"^\./impact bench ": "a benchmark: minutes, with nothing else running",
    r"^\./impact reproduce (load|learn|hrp4|val2|foreign)\b": "a study of 10 minutes or more",
    r"--view\b|^\./impact view (?!.*--picture)": "waits for a browser; test/view opens its pages",
    r"--fci \d": "needs a real arm",
}

# Commands that take 2.5 s or more, and those that need what these have made.
LONG = (
    r"^\./impact (demo|reproduce|simulate|analyze|learn|map|bench)\b",
)


def reason(command: str) -> str:
    """Return why a command is not run; nothing: it is."""
    return next((why for what, why in NOT_RUN.items() if re.search(what, command)), "")


def is_long(command: str) -> bool:
    """Return whether a command is left out of the quick tests."""
    return any(re.search(what, command) for what in LONG)
