# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Two arms as a user would add them: only a URDF and a YAML each.

Geometry and masses are in the class of a Universal Robots UR5e and of a KUKA LBR iiwa 14 (rounded
from their makers' data sheets); inertias are those of slender rods, motor inertias a guess.
"""

from __future__ import annotations

from pathlib import Path

import yaml

# Per joint: origin of the joint in its parent (xyz, rpy), mass [kg] and length along the next
# joint's origin of its link.
UR = {
    "name": "ur_class",
    "joints": [
        ((0, 0, 0.163), (0, 0, 0), 3.8),
        ((0, 0.138, 0), (0, 1.5708, 0), 8.4),
        ((0, -0.131, 0.425), (0, 0, 0), 2.3),
        ((0, 0, 0.392), (0, 1.5708, 0), 1.2),
        ((0, 0.127, 0), (0, 0, 0), 1.2),
        ((0, 0, 0.1), (0, 0, 0), 0.4),
    ],
    "axes": ["0 0 1", "0 1 0", "0 1 0", "0 1 0", "0 0 1", "0 1 0"],
    "tip": ((0, 0.1, 0), (-1.5708, 0, 0)),
    "velocity": [3.14] * 6,
    "torque": [150, 150, 150, 28, 28, 28],
    "stance": [0.0, -1.4, 1.9, -0.5, -1.57, 0.2],
    "reach": 6.28,
    "reflected": [2.0, 2.0, 1.5, 0.3, 0.3, 0.3],
    "apparent": [0.7, 0.7, 0.5, 0.1, 0.1, 0.1],
}
KUKA = {
    "name": "kuka_class",
    "joints": [
        ((0, 0, 0.158), (0, 0, 0), 5.8),
        ((0, 0, 0.182), (0, 0, 0), 6.4),
        ((0, 0, 0.184), (0, 0, 0), 3.5),
        ((0, 0, 0.216), (0, 0, 0), 4.1),
        ((0, 0, 0.184), (0, 0, 0), 2.0),
        ((0, 0, 0.216), (0, 0, 0), 3.2),
        ((0, 0.061, 0.081), (0, 0, 0), 0.5),
    ],
    "axes": ["0 0 1", "0 1 0", "0 0 1", "0 -1 0", "0 0 1", "0 1 0", "0 0 1"],
    "tip": ((0, 0, 0.045), (0, 0, 0)),
    "velocity": [1.48, 1.48, 1.74, 1.3, 2.26, 2.35, 2.35],
    "torque": [320, 320, 176, 176, 110, 40, 40],
    "stance": [0.1, 0.7, 0.2, -1.5, 0.1, 0.9, 0.0],
    "reach": 2.0,
    "reflected": [1.5, 1.5, 1.0, 1.0, 0.5, 0.3, 0.3],
    "apparent": [0.5, 0.5, 0.35, 0.35, 0.2, 0.1, 0.1],
}
ARMS = {arm["name"]: arm for arm in (UR, KUKA)}


def write_arm(folder: Path, arm: dict) -> Path:
    """Write URDF and YAML; return the YAML's path."""
    (folder / f"{arm['name']}.urdf").write_text(_urdf(arm))
    n = len(arm["joints"])
    entries = {
        "name": arm["name"],
        "urdf": f"{arm['name']}.urdf",
        "joints": [f"joint{i}" for i in range(1, n + 1)],
        "base_link": "link0",
        "tool": {
            "parent": "tip",
            "mass": 0.1,
            "radius": 0.03,
            "com": [0, 0, 0.05],
            "contact_point": [0, 0, 0.1],
        },
        "position_lower": [-arm["reach"]] * n,
        "position_upper": [arm["reach"]] * n,
        "velocity": arm["velocity"],
        "acceleration": [10.0] * n,
        "jerk": [5000.0] * n,
        "torque": arm["torque"],
        "torque_rate": [2000.0] * n,
        "impulsive_torque": arm["torque"],
        "reflected_motor_inertia": arm["reflected"],
        "apparent_motor_inertia": arm["apparent"],
        "joint_stiffness": [1.2e4] * n,
        "joint_damping": [15.0] * n,
        "stance": arm["stance"],
        "detection_joints": [n - 2, n - 1],
        "driver_compensates_gravity": True,
    }
    path = folder / f"{arm['name']}.yaml"
    path.write_text(yaml.safe_dump(entries))
    return path


def _urdf(arm: dict) -> str:
    ends = [*[origin for origin, _, _ in arm["joints"][1:]], arm["tip"][0]]
    parts = [f'<robot name="{arm["name"]}">', '<link name="link0"/>']
    for i, (end, (xyz, rpy, mass)) in enumerate(zip(ends, arm["joints"], strict=True), 1):
        com, length = " ".join(str(c / 2) for c in end), max(0.1, sum(c * c for c in end) ** 0.5)
        inertia = mass * (length**2 / 12 + 0.05**2 / 2)
        parts.append(
            f'<link name="link{i}"><inertial><origin xyz="{com}"/><mass value="{mass}"/>'
            f'<inertia ixx="{inertia}" iyy="{inertia}" izz="{inertia}" ixy="0" ixz="0" iyz="0"/>'
            f'</inertial></link><joint name="joint{i}" type="revolute"><parent link="link{i - 1}"/>'
            f'<child link="link{i}"/><origin xyz="{_text(xyz)}" rpy="{_text(rpy)}"/>'
            f'<axis xyz="{arm["axes"][i - 1]}"/><limit lower="-{arm["reach"]}"'
            f' upper="{arm["reach"]}" velocity="{arm["velocity"][i - 1]}"'
            f' effort="{arm["torque"][i - 1]}"/></joint>'
        )
    xyz, rpy = arm["tip"]
    parts.append(
        f'<link name="tip"/><joint name="tip" type="fixed"><parent link="link{len(ends)}"/>'
        f'<child link="tip"/><origin xyz="{_text(xyz)}" rpy="{_text(rpy)}"/></joint></robot>'
    )
    return "\n".join(parts)


def _text(values: tuple) -> str:
    return " ".join(map(str, values))
