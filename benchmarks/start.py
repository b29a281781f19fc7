# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Time to import the library and to print the help of a command, compared with numpy, pinocchio.

CPU time of processes that take turns, the least of each: what disturbs one disturbs all. Run it
with ``./impact bench start``, once more for figures without what Python compiles and keeps.
"""

from __future__ import annotations

import resource
import subprocess
import sys

from impact_cli.command_names import COMMANDS

FLOOR = "import numpy, pinocchio"
PACKAGES = ("impact_predictor", "impact_qp", "impact_sim", "impact_detector")


def measure(*, quick: bool = False) -> dict[str, float]:
    """Return CPU times [s], and ratios to that of the floor.

    Args:
        quick: three rounds instead of ten.
    """
    works = {FLOOR: ["-c", FLOOR]}
    works |= {f"import {name}": ["-c", f"import {name}"] for name in PACKAGES}
    works |= {f"{name} --help": ["-m", "impact_cli", name, "--help"] for name in COMMANDS}
    least = dict.fromkeys(works, float("inf"))
    for _ in range(3 if quick else 10):
        for name, arguments in works.items():
            least[name] = min(least[name], _cpu_time(arguments))
    figures = {f"{name} [s]": seconds for name, seconds in least.items()}
    for name in list(works)[1:]:
        figures[f"{name} / floor"] = least[name] / least[FLOOR]
    return figures


def _cpu_time(arguments: list[str]) -> float:
    """Return the CPU time of a Python process [s]."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
