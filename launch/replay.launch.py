# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Detector and predictor for a recording, played by `ros2 bag play` in another terminal.

Both use the stamps of the messages; with `use_sim_time:=true` and `ros2 bag play --clock` their
diagnostics and RViz use the time of the recording, too.

Example:
    ros2 launch impact_control replay.launch.py robot:=fr3 urdf:=fr3.urdf
        joint_states:=franka_robot_state_broadcaster/measured_joint_states
"""

from launch.substitutions import LaunchConfiguration

from impact_bringup.launch_parts import (
    PACKAGE,
    ROBOT,
    SUITE,
    description,
    given,
    limited_discovery,
    node,
    rviz_of,
    shared_file,
)

DESIRED = "impact_qp/desired_joint_states"
OVERRIDES = {  # arguments that set a parameter, by executable
    "impact_detector": (
        *(*ROBOT, "use_sim_time"),
        *("contact_normal", "wrench_normal", "reference"),
    ),
    "impact_predictor": (*ROBOT, "use_sim_time"),
}
TOPICS = {  # name in the nodes -> argument
    "joint_states": "joint_states",
    DESIRED: "desired_joint_states",
    "wrench": "wrench",
    "wrench_batch": "wrench_batch",
}


def generate_launch_description():
    arguments = {
        "parameters": (shared_file("config", "suite.yaml"), "Parameter file"),
        "robot": ("", "Robot by name, or path of its YAML; empty: the parameter file's"),
        "urdf": ("", "Path of the robot's URDF; empty: the parameter file's"),
        "joint_prefix": ("", "Prefix of joint names; empty: the parameter file's"),
        "joint_states": ("joint_states", "Recorded state, effort included (JointState)"),
        "desired_joint_states": (DESIRED, "Its effort is the detector's reference (JointState)"),
        "wrench": ("wrench", "Recorded force on the robot (WrenchStamped)"),
        "wrench_batch": ("wrench_batch", "The same, many samples per message (WrenchBatch)"),
        "contact_normal": ("", "Outward normal of the surface, base axes, such as [0.0, 0.0, 1.0]"),
        "wrench_normal": ("", "The same in axes of the force sensor"),
        "reference": ("", "Reference torque: desired or model"),
        "use_sim_time": ("false", "true: nodes' clocks follow `ros2 bag play --clock`"),
    }
    return description(arguments | SUITE, _actions)


def _actions(context):
    settings = ["--params-file", LaunchConfiguration("parameters")]
    topics = [(name, LaunchConfiguration(topic)) for name, topic in TOPICS.items()]
    return [
        limited_discovery(),
        *(
            node(
                PACKAGE,
                executable,
                ros_arguments=[*settings, *given(context.launch_configurations, names)],
                remappings=topics,
            )
            for executable, names in OVERRIDES.items()
        ),
        *rviz_of(context, "impact_predictor"),
    ]
