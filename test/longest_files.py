# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The files of tests that take longest, longest first; ``--durations`` tells."""

LONGEST = (
    "qp/test_promises.py",
    "cli/test_demo.py",
    "analysis/test_analyze.py",
    "qp/test_mishaps.py",
    "launch/test_processes.py",
    "analysis/test_report.py",
    "drivers/node/test_franka_processes.py",
    "trials/test_simulate.py",
    "analysis/test_reproduce.py",
    "analysis/test_evaluate.py",
    "bringup/test_experiment.py",
)
