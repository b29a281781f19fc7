# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A Franka Research 3 through libfranka, controlled in its own cycle, with a predictor beside it.

Does not configure or activate any node, because that moves the robot. When the arm is at the start
of the approach, and you hold the emergency stop:

    ros2 lifecycle set /franka configure
    ros2 lifecycle set /franka activate     # torque control: the arm holds until a goal arrives

With ``fake:=true`` the arm is that of ``impact fake-fr3``, which is started here, too, and waits
for the loop in each cycle. Its URDF and its wall are set automatically.

Example:
    ros2 launch impact_control franka.launch.py parameters:=my_franka.yaml urdf:=fr3.urdf
        address:=192.168.1.11
    ros2 launch impact_control franka.launch.py fake:=true
"""

import tempfile
from pathlib import Path

from impact_bringup.launch_parts import (
    BOOLEANS,
    PACKAGE,
    SUITE,
    command,
    description,
    given,
    limited_discovery,
    node,
    removed_at_the_end,
    rviz,
    shared_file,
)

ROBOT = "fr3"
EXECUTABLES = {
    "franka": ("urdf", "address", "dry_run", "realtime", "deadman"),
    "impact_predictor": ("urdf",),
}
# The clock of an arm that waits runs ahead of others.
FAKE = {"address": "127.1.0.1", "realtime": "false", "deadman": "1.0"}


def generate_launch_description():
    arguments = {
        "parameters": (
            "",
            "Parameter file: says where the surface is, among other things; empty:"
            " config/franka.yaml, with fake config/franka_fake.yaml, too",
        ),
        "address": ("", "Name or IP address of the arm; empty: the parameter file's"),
        "urdf": ("", "Path of the arm's URDF; empty: the parameter file's, or the fake arm's"),
        "dry_run": ("", "true: send torques of zero; empty: the parameter file's"),
        "fake": ("false", "Also start a fake arm, and use it", BOOLEANS),
    }
    view = {"rviz": ("false", "Also start RViz and broadcast the frames; needs urdf", BOOLEANS)}
    return description(arguments | SUITE | view, _actions)


def _actions(context):
    values = dict(context.launch_configurations)
    settings = [values["parameters"] or shared_file("config", "franka.yaml")]
    fake = []
    if values["fake"] == "true":
        fake = _fake_arm(values)
        settings += [] if values["parameters"] else [shared_file("config", "franka_fake.yaml")]
    files = [part for file in settings for part in ("--params-file", file)]
    return [
        limited_discovery(),
        *fake,
        *(
            node(PACKAGE, name, ros_arguments=[*files, *given(values, known)])
            for name, known in EXECUTABLES.items()
        ),
        rviz(robot=ROBOT, urdf=values["urdf"]),
    ]


def _fake_arm(values):
    """Return the fake arm; sets its address and URDF in the values of the arguments."""
    from impact_drivers.franka.arm.fr3_model import write_urdf  # needs what a real arm does not

    folder = Path(tempfile.mkdtemp(prefix="impact_fake_fr3_"))
    values |= FAKE | {name: values[name] for name in FAKE if values.get(name)}
    values["urdf"] = values["urdf"] or str(write_urdf(folder / "fr3.urdf"))
    return [
        command("impact", "fake-fr3", "--address", values["address"]),
        removed_at_the_end(folder),
    ]
