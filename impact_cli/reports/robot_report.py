# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Report of a robot's YAML and of its possible keys, as text and JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from impact_analysis.present.number import number
from impact_analysis.present.plain import json_text
from impact_analysis.present.table import aligned
from impact_robots import Robot
from impact_robots.description.keys import KEYS, PLAN, QP, SETS, SIM, needed_by
from impact_robots.description.physical import check_mass_matrix
from impact_robots.urdf.chain import Chain

WHO = (QP, SIM, PLAN, SETS)


def as_text(robot: Robot, chain: Chain, out: Path) -> str:
    """Return a table of the joints, and which keys are missing."""
    limits = robot.limits
    columns = {
        "lowest": limits.position_lower,
        "highest": limits.position_upper,
        "velocity": limits.velocity,
        "torque": limits.torque,
        "B_theta": robot.apparent_motor_inertia,
        "B_rho": robot.reflected_motor_inertia,
    }
    joints = [
        [name, *(number(each[i], ".4g") for each in columns.values())]
        for i, name in enumerate(robot.joint_names)
    ]
    small, large = _eigenvalues(robot)
    lines = [
        f"{robot.name}: {robot.dof} joints from {chain.base} to {chain.tip}, {_mass(robot):.2f} kg",
        *(f"  {line}" for line in aligned([["joint", *columns], *joints])),
        "  [rad, rad/s, N.m, kg.m^2]",
        f"  checked as loading does: mass matrix positive definite in 100 poses, eigenvalues at"
        f" worst {small:.3g} to {large:.3g} kg.m^2",
        f"  assumed: {', '.join(robot.assumed) or 'nothing'}",
    ]
    if chain.beside:
        lines.append(
            f"  base: fixed, with {len(chain.beside)} joints on other branches from {chain.base}"
            " locked at zero; a robot on legs needs `base: floating` and `contacts`"
        )
    for who, keys in _wanting(robot).items():
        lines.append(f"  {who} needs: {', '.join(keys)}")
    lines.append("  detect, analyze and predict need nothing more; thresholds: detect --learn")
    return "\n".join([*lines, f"Written: {out}"])


def as_json(robot: Robot, chain: Chain, out: Path) -> str:
    """Return one JSON document."""
    limits, (small, large) = robot.limits, _eigenvalues(robot)
    document: dict[str, Any] = {
        "robot": robot.name,
        "file": str(out),
        "joints": list(robot.joint_names),
        "base_link": chain.base,
        "base": robot.base,
        "locked_joints_beside": list(chain.beside),
        "tip_link": chain.tip,
        "contact_frame": robot.contact_frame,
        "mass_kg": _mass(robot),
        "position_lower_rad": limits.position_lower.tolist(),
        "position_upper_rad": limits.position_upper.tolist(),
        "velocity_limit_radps": limits.velocity.tolist(),
        "torque_limit_nm": limits.torque.tolist(),
        "apparent_motor_inertia_kgm2": robot.apparent_motor_inertia.tolist(),
        "reflected_motor_inertia_kgm2": robot.reflected_motor_inertia.tolist(),
        "velocity_noise_radps": robot.velocity_noise,
        "torque_noise_nm": robot.torque_noise,
        "mass_matrix_eigenvalues_kgm2": [small, large],
        "assumed": list(robot.assumed),
        "missing": list(robot.missing),
        "missing_for": _wanting(robot),
    }
    return json_text(document)


def keys_text() -> str:
    """Return every key with unit, default, and the functions that need it."""
    head = ("key", "unit", "without an entry", "needed by")
    lines: list[str] = []
    rows = aligned([head, *map(_row, KEYS)], left=range(len(head)))
    for row, what in zip(rows, ["", *(key.what for key in KEYS)], strict=True):
        lines += [row.rstrip(), *([f"    {what}".replace("`", "")] if what else [])]
    return "\n".join(lines)


def keys_json() -> str:
    """Return the same as one JSON document."""
    keys = [
        {
            "key": key.name,
            "unit": key.unit or None,
            "default": key.default or None,
            "mandatory": not key.default,
            "needed_by": list(key.needed_by),
            "description": key.what,
        }
        for key in KEYS
    ]
    return json_text({"keys": keys})


def _row(key: Any) -> tuple[str, str, str, str]:
    by = ", ".join(key.needed_by)
    return key.name, key.unit or "-", (key.default or "refused").replace("`", ""), by or "-"


def _wanting(robot: Robot) -> dict[str, list[str]]:
    """Return the missing keys, by the functions that need them."""
    found = {who: [key for key in needed_by(who) if key in robot.missing] for who in WHO}
    return {who: keys for who, keys in found.items() if keys}


def _mass(robot: Robot) -> float:
    return float(sum(inertia.mass for inertia in robot.model.inertias))


def _eigenvalues(robot: Robot) -> tuple[float, float]:
    limits = robot.limits
    lower, upper = limits.position_lower, limits.position_upper
    return check_mass_matrix(robot.name, robot.model, lower, upper)
