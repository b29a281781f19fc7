# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The suite with an arm in Gazebo under ros2_control (ros_gz_sim, gz_ros2_control).

Not tested: see doc/gazebo.md. Configures no node; when the spawner has ended:

    ros2 lifecycle set /impact_qp configure
    ros2 lifecycle set /impact_qp activate
"""

import tempfile
from pathlib import Path

from launch_ros.parameter_descriptions import ParameterValue

import impact_robots
from impact_bags.reading.run_record import Run
from impact_bringup.experiments.experiment import suite_parameters
from impact_bringup.launch_parts import (
    PACKAGE,
    SUITE,
    description,
    included,
    limited_discovery,
    node,
    removed_at_the_end,
    rviz,
    shared_file,
    unless_done,
)
from impact_bringup.simulator_folder import write_folder
from impact_robots.description.loader import load_robot
from impact_sim.export.gazebo_files import WORLD, gazebo_files
from impact_sim.export.gazebo_world import WRENCH
from impact_sim.export.mjcf_files import CONTROLLERS, URDF
from impact_sim.export.ros2_control import COMMANDS, STATES
from impact_sim.scenarios import load_scenario, scenario_names

OWN = ("robot", "urdf")
TOPICS = [("impact_qp/commands", f"{COMMANDS}/commands"), ("wrench", WRENCH)]
WRENCHES = f"/{WRENCH}@geometry_msgs/msg/WrenchStamped[gz.msgs.Wrench"
BRIDGED = ("/clock@rosgraph_msgs/msg/Clock[gz.msgs.Clock", WRENCHES)


def generate_launch_description():
    urdf = str(Path(impact_robots.__file__).with_name("panda.urdf"))
    arguments = {
        "scenario": ("qp_panda_demo", "Named scenario with a wall", [*scenario_names()]),
        "robot": (shared_file("config", "panda_gazebo.yaml"), "YAML of the arm as simulated"),
        "urdf": (urdf, "Its URDF"),
    }
    return description(arguments | SUITE, _actions)


def _actions(context):
    value, folder = context.launch_configurations, Path(tempfile.mkdtemp())
    scenario, robot = load_scenario(value["scenario"]), {each: value[each] for each in OWN}
    settings = suite_parameters(Run(scenario, "auto", folder=folder, realtime=True))
    for parameters in settings.values():
        parameters["ros__parameters"] |= robot
    del settings["impact_detector"]["ros__parameters"]["wrench_normal"]  # whose sign is not tried
    texts = gazebo_files(folder, load_robot(robot["robot"], urdf=robot["urdf"]), scenario)
    suite = write_folder(folder, texts, settings)
    clock, text = {"use_sim_time": True}, ParameterValue(texts[URDF], value_type=str)
    described = {"robot_description": text, **clock}  # the suite judges by stamps, without clock
    spawned = [STATES, COMMANDS, "--param-file", str(folder / CONTROLLERS)]
    done = unless_done("no arm, or no controllers")
    return [
        limited_discovery(),
        removed_at_the_end(folder),
        included("ros_gz_sim", "gz_sim.launch.py", {"gz_args": f"-r {folder / WORLD}"}),
        node("ros_gz_bridge", "parameter_bridge", arguments=BRIDGED, parameters=[clock]),
        node("robot_state_publisher", "robot_state_publisher", parameters=[described]),
        node("ros_gz_sim", "create", arguments=["-topic", "robot_description"], on_exit=done),
        node("controller_manager", "spawner", arguments=spawned, on_exit=done),
        node(PACKAGE, "suite", ros_arguments=suite, remappings=TOPICS),
        rviz(**robot, use_sim_time="true", state_publisher="false"),
    ]
