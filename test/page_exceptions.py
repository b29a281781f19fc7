# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Commands of the pages that are not run here, with the reason, and slow ones."""

import re

# Expressions that are looked for in a command: what matches first is its reason.
NOT_RUN = {
    r"^ros2 ": "ros2cli and launch are not on PyPI; test/launch checks names and arguments",
    r"^sudo |^taskset ": "changes the machine",
    r"^\./impact (test|setup|doc|shell)\b": "is this run, or a step of its own in .ci/run",
    r"^\./impact reproduce (load|learn|hrp4|val2|foreign|people|hammer|fields|engines"
    r"|demonstrations)\b": "a study of many minutes",
    r"^\./impact demo --scenario hammer_nail\b": "minutes: test_hammer_demo.py compares its table",
    r"^\./impact reproduce$": "is its four tables, one by one",
    r"^\./impact fake-fr3\b": "serves until Ctrl-C: test_hit_command.py runs it",
    r"^\./impact hit --tool\b": "a minute: test_fake_strikes.py compares its table",
    r"^\./impact hit .*--speed 0\.02": "is not detected, and fails: test_hit_command.py",
    r"^\./impact bench (?!first_day)": "a benchmark: minutes, with nothing else running",
    r"[A-Z][A-Z_]{2,}\b|\[--": "has a placeholder for what is the reader's",
    r"--dask|^dask ": "needs a cluster: test/cli/test_cluster.py runs a local one",
    r"^\./impact plan --reflex gentle/": "reads a recorded hit: test_reflex_plan.py runs it",
    r"--view\b|^\./impact view (?!.*--picture)": "waits for a browser; test/view opens its pages",
    r"--fci \d|^communication_test": "needs a real arm",
    r"(?<!-)\b(free|free_motion|hits|recording|demo/robust/bag|panda_free_motion.csv)\b"
    r"(?! --trials)": (
        "reads a recording of the reader's; test/cli/test_own_arm.py makes and reads such"
    ),
}

# Python of packages that this project does not need.
FOREIGN_PYTHON = r"\b(dask_jobqueue|dask_kubernetes|duckdb|robot\.move)\b"

# Commands that take 2.5 s or more, and those that need what these have made.
LONG = (
    r"^\./impact (demo|reproduce|simulate|analyze|learn|map|compare|bench|hit)\b",
    r"--optimize|plan --tool",
    r"detect wall",
    r"grab_trial|arm\.strike",
)

# Of these, those of a minute or more.
MINUTES = (
    r"^\./impact demo --scenario (learn_wall|qp_hrp4_grab)\b",
    r"^\./impact demo --fci\b",
    r"^\./impact simulate free_motion\b",
    r"^\./impact reproduce flex\b",
)


def reason(command: str) -> str:
    """Return why a command is not run; nothing: it is."""
    return next((why for what, why in NOT_RUN.items() if re.search(what, command)), "")


def is_long(text: str) -> bool:
    """Return whether a command or Python is left out of the quick tests."""
    return any(re.search(what, text) for what in LONG)


def takes_minutes(text: str) -> bool:
    """Return whether a command is left out of ``.ci/run``."""
    return any(re.search(what, text) for what in MINUTES)
