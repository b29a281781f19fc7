# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""TSID's control cycle as blocks of a benchmark, in a process with libraries of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from side_by_side import Block, State

from impact_robots import Robot

HERE = Path(__file__).resolve().parent
FOLDER = HERE.parent / ".setup" / "tsid"
INSTALL = (
    "./impact shell -- pip install --no-warn-conflicts --target .setup/tsid"
    " -r benchmarks/tsid_requirements.txt"
)


@contextmanager
def tsid_blocks(
    robot: Robot, states: Sequence[State], folder: Path = FOLDER
) -> Iterator[Mapping[str, Block]]:
    """Give a warm and a cold block; none, and a line that says why, where TSID is not installed.

    Meanwhile this process and TSID's take turns on one core.

    Args:
        robot: an arm.
        states: positions (n,) [rad] and velocities (n,) [rad/s] that a block goes through.
        folder: what TSID is installed in.

    Raises:
        RuntimeError: TSID's process ended before its answer.
    """
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    try:
        with _process(folder) as process:
            try:
                _ask(process, problem(robot, states))
                blocks = {
                    "tsid": partial(_ask, process, False),
                    "tsid, cold": partial(_ask, process, True),
                }
            except RuntimeError as error:
                print(f"qp: without TSID ({error}); to install it: {INSTALL}", file=sys.stderr)
                blocks = {}
            yield blocks
    finally:
        os.sched_setaffinity(0, cores)


def _process(folder: Path) -> subprocess.Popen[str]:
    """Return TSID's process, which ends with its standard input."""
    library = f"cmeel.prefix/lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
    paths = os.pathsep.join((str(folder / library), str(folder)))
    environ = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
    return subprocess.Popen(
        # -S: without the packages of this interpreter, among which there is another pinocchio
        [sys.executable, "-S", str(HERE / "tsid_cycle.py")],
        env={**environ, "PYTHONPATH": paths},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def problem(robot: Robot, states: Sequence[State]) -> dict[str, Any]:
    """Return what TSID computes with, as plain numbers: another pinocchio reads them."""
    model, limits = robot.model, robot.limits
    frame = model.frames[model.getFrameId(robot.contact_frame)]
    names = ("position_lower", "position_upper", "velocity", "acceleration", "torque")
    return {
        "urdf": robot.urdf,
        "inertias": [
            (each.mass, each.lever.tolist(), each.inertia.tolist()) for each in model.inertias
        ],
        "armature": model.armature.tolist(),
        "joint": frame.parentJoint,
        "rotation": frame.placement.rotation.tolist(),
        "translation": frame.placement.translation.tolist(),
        "limits": {name: getattr(limits, name).tolist() for name in names},
        "states": [(q.tolist(), dq.tolist()) for q, dq in states],
    }


def _ask(process: subprocess.Popen[str], question: object) -> Any:
    """Return the answer to a line.

    Raises:
        RuntimeError: the process ended before it.
    """
    try:
        print(json.dumps(question), file=process.stdin, flush=True)
        answer = process.stdout.readline()
    except BrokenPipeError:
        answer = ""
    if answer:
        return json.loads(answer)
    said = process.stderr.read().splitlines()
    raise RuntimeError(said[-1] if said else "its process ended")
