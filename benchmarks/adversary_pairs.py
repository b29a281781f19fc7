# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Inconsistent parameters: refused in one line, or all checks hold.

Class ``parameter_pairs``; ``adversary_classes.py`` runs one of them again.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from adversary_rig import CAP, Rig, rigged

import impact_robots

INTERFACES = ("torque", "velocity", "position")
LASTS = 3.0  # a run [s]
EXTREMES: dict[str, tuple[Any, ...]] = {
    "activation_distance": (0.0, 0.002, 0.01, 200.0),
    "speed": (0.0, 0.5, 100.0),
    "speed_cap": (0.02, 0.5, 100.0),
    "speed_ramp": (1e-3, 1e3, 1e6),
    "rate": (10.0, 20.0, 50.0, 100.0, 2000.0),
    "preview": (1e-3, 0.5),
    "state_timeout": (1e-3, 0.005, 10.0),
    "max_consecutive_missed": (0, 1_000_000),
    "goal_timeout": (0.1, 1e6),
    "stall_time": (1e-3, 100.0),
    "coast_time": (0.0, 1.0),
    "retract_speed": (0.0, 0.5, 100.0),
    "retract_distance": (0.0, 0.5, 50.0),
    "overrun": (0.0, 0.5, 5.0, 30.0),
    "restitution": ([0.9, 1.0], [1.0, 1.0]),
    "peak_factor": (1.0, 100.0),
    "impact_duration": (1e-4, 1.0),
    "stiffness": ([1e-3, 1e-2], [1e12, 1e15], [1e6, 1e4]),
    "generators": (3, 64),
}
TOGETHER: tuple[dict[str, Any], ...] = (
    {"activation_distance": 0.0, "speed": 0.5, "speed_cap": 0.5},
    {"activation_distance": 0.005, "speed": 0.5, "speed_cap": 0.5},
    {"activation_distance": 0.01, "speed": 0.5, "speed_cap": 0.5, "speed_ramp": 1e3},
    {"rate": 10.0, "state_timeout": 10.0, "interface": "torque"},
    {"rate": 10.0, "state_timeout": 10.0, "interface": "velocity"},
    {"rate": 20.0, "preview": 1e-3},
    {"rate": 100.0, "state_timeout": 1e-3},
    {"rate": 1000.0, "state_timeout": 10.0, "max_consecutive_missed": 1_000_000},
    {"retract_speed": 0.0, "retract_distance": 0.5},
    {"overrun": 5.0, "stall_time": 100.0},
    {"speed": 300.0, "speed_cap": 500.0, "activation_distance": 200.0},
    {"preview": 0.5, "activation_distance": 0.002},
    {"goal_timeout": 0.1, "speed": 1e-3},
)
YAML = {  # what the robot's own file says against its URDF: a factor for a list of numbers
    "velocity": (1.5, 57.2958, 1000.0),
    "torque": (1.2, 10.0, 1000.0),
    "position_upper": (2.0, 57.2958),
    "tool": (100.0, 1e4),
}


def draw(random: np.random.Generator, number: int) -> dict[str, Any]:
    """Return parameters: a known pair, a pair at random, or a robot's file against its URDF."""
    kind = number % 6
    if kind == 0:
        return dict(TOGETHER[(number // 6) % len(TOGETHER)])
    if kind == 1:
        return {"robot": scaled_robot(random)}
    names = random.choice(list(EXTREMES), 2 if kind < 5 else 3, replace=False)
    return {
        str(name): EXTREMES[str(name)][int(random.integers(len(EXTREMES[str(name)])))]
        for name in names
    }


def scaled_robot(random: np.random.Generator) -> str:
    """Write a Panda whose limits are larger than those of its URDF; return the file's path."""
    key = str(random.choice(list(YAML)))
    factor = float(random.choice(YAML[key]))
    here = Path(impact_robots.__file__).parent
    text = (here / "panda.yaml").read_text()
    text = text.replace("urdf: panda.urdf", f"urdf: {here / 'panda.urdf'}")

    if key == "tool":
        text = text.replace("contact_point: [0, 0, 0.10]", f"contact_point: [0, 0, {factor:g}]")

    def scale(found: re.Match[str]) -> str:
        return f"{key}: [{', '.join(f'{factor * float(x):g}' for x in found[1].split(','))}]"

    path = Path(tempfile.mkdtemp()) / f"panda_{key}_{factor:g}.yaml"
    path.write_text(re.sub(rf"^{key}: \[(.*)\]", scale, text, flags=re.MULTILINE))
    return str(path)


def case(seed: int, number: int) -> str:
    """Run one; return what did not hold, empty if all did."""
    random = np.random.default_rng([seed, number, 7])
    changes = draw(random, number)
    interface = changes.pop("interface", INTERFACES[int(random.integers(3))])
    about = f"{interface}, {changes}"
    if "rate" not in changes:
        changes["rate"] = 250.0
    try:
        said = _run(random, interface, changes)
    except Exception as error:  # refused where the node is made, or a defect
        line = f"{type(error).__name__}: {error}"
        refused = type(error).__name__ == "ParameterError" and "\n" not in line
        return "" if refused else f"{about}: raised {line}"
    return f"{about}: {said}" * bool(said)


def _run(random: np.random.Generator, interface: str, changes: dict[str, Any]) -> str:
    """Start a node with parameters; return what did not hold."""
    period = 1.0 / changes.pop("rate")
    with rigged(random, interface, period, gap=0.1, **changes) as rig:
        rig.checks.cap = min(rig.checks.cap, 0.5) if rig.checks.cap < 1.0 else CAP
        before = len(rig.host.log.errors)
        started = rig.start()
        if not started and len(rig.host.log.errors) != before + 1:
            rig.checks.note("refusal", f"expected one line, got {rig.host.log.errors[before:]}")
        if started:
            _look(rig, changes)
        return "; ".join(rig.checks.broken.values())


def _look(rig: Rig, changes: dict[str, Any]) -> None:
    """Let it approach, and judge what cannot be meant."""
    key = "robot" if Path(str(changes.get("robot", ""))).suffix == ".yaml" else ""
    if key:
        rig.checks.note("limits", "larger than those of the URDF, or of any arm, and believed")
        return
    rig.run(LASTS)
    rig.deactivate()
    rig.run(1.0)
