# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Drafts the YAML of a robot from its URDF, given entries and assumed values."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import pinocchio as pin

from impact_robots.description.keys import KEYS, TORQUE_NOISE, VELOCITY_NOISE
from impact_robots.urdf.chain import Chain

# Between a third and twice this where it is published: the Panda's .005 to .017.
INERTIA_PER_TORQUE = 0.01  # B_rho over the effort limit [kg.m^2/(N.m)]
APPARENT_RATIO = 1 / 3  # B_theta over B_rho: the Panda's under its torque loop
NO_TOOL = {"mass": 0.0, "radius": 0.0, "com": [0.0] * 3, "contact_point": [0.0] * 3}
_FROM_URDF = ("position_lower", "position_upper", "velocity", "torque")
_STANCE = "stance"  # optional, but without it users need --q


def draft(
    name: str,
    urdf: str,
    chain: Chain,
    model: pin.Model,
    given: Mapping[str, Any],
    mjcf: Mapping[str, Any] = MappingProxyType({}),
) -> dict[str, dict[str, Any]]:
    """Return the entries of a robot's YAML by source, as text.

    Args:
        name: of the robot.
        urdf: its path, as written into the YAML.
        chain: the arm in it.
        model: of the whole URDF.
        given: known entries, such as ``apparent_motor_inertia``; an entry
            ``tool`` may have some of its entries only.
        mjcf: entries of a MuJoCo model (:func:`~impact_robots.urdf.mjcf_file.joint_entries`);
            those of ``given`` replace them.
    """
    named: dict[str, Any] = {
        "name": name,
        "urdf": urdf,
        "joints": list(chain.joints),
        "base_link": chain.base,
        **({"base": "fixed"} if chain.beside else {}),
    }
    limits = {key: each for key, each in _limits(model, chain).items() if key not in given}
    mjcf = {key: each for key, each in mjcf.items() if key not in given}
    known = {**limits, **mjcf, **given}
    assumed = {key: each for key, each in _assumed(model, chain, known).items() if key not in known}
    tool = {"parent": chain.tip, **NO_TOOL, **given.get("tool", {})}
    (assumed if set(given.get("tool", ())) < set(NO_TOOL) else named)["tool"] = tool
    marked = [*given.get("assumed", ()), *assumed]
    return {
        "": named,
        "From the URDF's <limit>; take a line out to follow it.": limits,
        "From the MuJoCo model's armature, damping and frictionloss.": mjcf,
        "Given.": {key: each for key, each in given.items() if key not in ("tool", "assumed")},
        "Assumed, which no source gives. Motor inertias: 0.01 kg.m^2 per N.m of effort and a third"
        " of it.": assumed,
        "What is assumed; impact_qp says so when it is configured.": {"assumed": marked}
        if marked
        else {},
    }


def as_text(title: str, parts: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the YAML, with unknown entries as comments; JSON's values are YAML's."""
    lines = [f"# {title}", "# Arrays follow `joints`; SI units. `impact robot --keys` explains."]
    for origin, entries in parts.items():
        if entries:
            lines += ["", f"# {origin}"] if origin else []
            texts = {key: json.dumps(each, ensure_ascii=False) for key, each in entries.items()}
            lines += [f"{key}: {text}" for key, text in texts.items()]
    there = {key for entries in parts.values() for key in entries}
    needed = [key for key in KEYS if key.needed_by or key.name == _STANCE]
    unknown = [key for key in needed if key.name not in there]
    if unknown:
        lines += ["", "# Unknown; who needs one of them stops and says so."]
    for key in unknown:
        unit = f" [{key.unit}]" if key.unit else ""
        by = ", ".join(key.needed_by) or "predict, sets and plan without --q"
        lines.append(f"# {key.name}:  #{unit} needed by {by}")
    return "\n".join(lines) + "\n"


def _limits(model: pin.Model, chain: Chain) -> dict[str, list[float]]:
    """Return the URDF's limits that are above zero, or a range, for each joint."""
    places = [model.joints[model.getJointId(joint)].idx_q for joint in chain.joints]
    speeds = [model.joints[model.getJointId(joint)].idx_v for joint in chain.joints]
    values = (
        model.lowerPositionLimit[places],
        model.upperPositionLimit[places],
        model.upperVelocityLimit[speeds],
        model.upperEffortLimit[speeds],
    )
    found = dict(zip(_FROM_URDF, values, strict=True))
    return {
        key: each.tolist()
        for key, each in found.items()
        if "position" in key or (np.isfinite(each).all() and np.all(each > 0.0))
    }


def _assumed(model: pin.Model, chain: Chain, known: Mapping[str, Any]) -> dict[str, Any]:
    """Return assumed values of the detectors' noise and, for revolute joints, of the motors."""
    noise = {"velocity_noise": VELOCITY_NOISE, "torque_noise": TORQUE_NOISE}
    kinds = [model.joints[model.getJointId(joint)].shortname() for joint in chain.joints]
    effort: Sequence[float] | None = known.get("torque")
    if effort is None or any(kind.startswith("JointModelP") for kind in kinds):
        return noise
    reflected = INERTIA_PER_TORQUE * np.array(effort)
    inertia = {"reflected_motor_inertia": reflected}
    inertia["apparent_motor_inertia"] = APPARENT_RATIO * np.array(
        known.get("reflected_motor_inertia", reflected)
    )
    apparent = known.get("apparent_motor_inertia", 0.0)
    inertia["reflected_motor_inertia"] = np.maximum(reflected, apparent)  # a loop only lowers it
    rounded = {key: [float(f"{value:.3g}") for value in each] for key, each in inertia.items()}
    return {**rounded, **noise}
