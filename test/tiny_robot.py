# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A robot of one joint, written as a user would write one: a URDF and a YAML."""

from __future__ import annotations

from pathlib import Path

from impact_robots import Robot, load_robot

URDF = """<robot name="tiny">
  <link name="base"/>
  <link name="link">
    <inertial><origin xyz="{com}"/><mass value="{mass}"/>
      <inertia ixx="{i}" iyy="{i}" izz="{i}" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="joint" type="{kind}">
    <parent link="base"/><child link="link"/><origin xyz="0 0 0"/><axis xyz="{axis}"/>
    <limit lower="-3" upper="3" velocity="10" effort="100"/>
  </joint>
</robot>"""

YAML = """name: tiny
urdf: tiny.urdf
joints: [joint]
base_link: base
tool: {{parent: link, mass: 1.0e-9, radius: 0.001, com: [0, 0, 0], contact_point: [0, 0, 0]}}
position_lower: [-3]
position_upper: [3]
velocity: [10]
acceleration: [100]
jerk: [1.0e+5]
torque: [100]
torque_rate: [1.0e+4]
impulsive_torque: [100]
reflected_motor_inertia: [{reflected}]
apparent_motor_inertia: [{apparent}]
joint_stiffness: [{stiffness}]
joint_damping: [{damping}]
stance: [0]
detection_joints: [1]
driver_compensates_gravity: true
"""


def tiny_robot(
    folder: Path,
    *,
    kind: str = "prismatic",
    axis: str = "1 0 0",
    mass: float = 2.0,
    inertia: float = 0.01,
    com: str = "0 0 0",
    reflected: float = 0.6,
    apparent: float = 0.2,
    stiffness: float = 1e4,
    damping: float = 1e-9,
) -> Robot:
    """Write and load the robot; ``inertia`` is the link's about its centre of mass [kg.m^2]."""
    (folder / "tiny.urdf").write_text(
        URDF.format(com=com, mass=mass, i=inertia, kind=kind, axis=axis)
    )
    (folder / "tiny.yaml").write_text(
        YAML.format(reflected=reflected, apparent=apparent, stiffness=stiffness, damping=damping)
    )
    return load_robot(folder / "tiny.yaml")
