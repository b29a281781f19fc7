# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The suite with an arm in Gazebo under ros2_control (ros_gz_sim, gz_ros2_control).

Not tried: see doc/gazebo.md. Nothing is configured here; when the spawner has ended:

    ros2 lifecycle set /impact_qp configure
    ros2 lifecycle set /impact_qp activate
"""

import shutil
import tempfile
from pathlib import Path

from launch import LaunchDescription, actions
from launch.conditions import IfCondition
from launch.event_handlers import OnShutdown
from launch.substitutions import EnvironmentVariable, LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

import impact_robots
from impact_bringup.experiment import Run, suite_parameters
from impact_bringup.simulator_folder import write_folder
from impact_robots.loader import load_robot
from impact_sim.export.gazebo_files import WORLD, gazebo_files
from impact_sim.export.gazebo_world import WRENCH
from impact_sim.export.mjcf_files import CONTROLLERS, URDF
from impact_sim.export.ros2_control import COMMANDS, STATES
from impact_sim.scenarios import load_scenario, scenario_names

PACKAGE, RANGE, OWN = "impact_control", "ROS_AUTOMATIC_DISCOVERY_RANGE", ("robot", "urdf")
TOPICS = [("impact_qp/commands", f"{COMMANDS}/commands"), ("wrench", WRENCH)]
WRENCHES = f"/{WRENCH}@geometry_msgs/msg/WrenchStamped[gz.msgs.Wrench"
BRIDGED = ("/clock@rosgraph_msgs/msg/Clock[gz.msgs.Clock", WRENCHES)


def generate_launch_description():
    local = EnvironmentVariable(RANGE, default_value="LOCALHOST")
    robot = PathJoinSubstitution([FindPackageShare(PACKAGE), "config", "panda_gazebo.yaml"])
    urdf = str(Path(impact_robots.__file__).with_name("panda.urdf"))
    arguments = {
        "scenario": ("qp_panda_demo", "What is hit, and how", [*scenario_names()]),
        "robot": (robot, "YAML of the arm as Gazebo simulates it", None),
        "urdf": (urdf, "Its URDF", None),
        "rviz": ("false", "Also start RViz", ["true", "false"]),
        "discovery_range": (local, "Who may hear: LOCALHOST, or SUBNET for the network", None),
        "namespace": ("", "Namespace of all nodes", None),
    }
    declared = [
        actions.DeclareLaunchArgument(name, default_value=value, description=text, choices=choices)
        for name, (value, text, choices) in arguments.items()
    ]
    return LaunchDescription([*declared, actions.OpaqueFunction(function=_actions)])


def _actions(context):
    value, folder = context.launch_configurations, Path(tempfile.mkdtemp())
    scenario, robot = load_scenario(value["scenario"]), {each: value[each] for each in OWN}
    settings = suite_parameters(Run(scenario, "auto", folder=folder, realtime=True))
    for node in settings.values():
        node["ros__parameters"] |= robot
    del settings["impact_detector"]["ros__parameters"]["wrench_normal"]  # whose sign is not tried
    texts = gazebo_files(folder, load_robot(robot["robot"], urdf=robot["urdf"]), scenario)
    suite = write_folder(folder, texts, settings)
    clock, text = {"use_sim_time": True}, ParameterValue(texts[URDF], value_type=str)
    description = {"robot_description": text, **clock}  # the suite judges by stamps, without clock
    spawned = [STATES, COMMANDS, "--param-file", str(folder / CONTROLLERS)]
    remove = actions.OpaqueFunction(function=lambda _: shutil.rmtree(folder, ignore_errors=True))
    rviz = {"robot": scenario.robot, "use_sim_time": "true", "state_publisher": "false"}
    return [
        actions.SetEnvironmentVariable(RANGE, value["discovery_range"]),
        actions.RegisterEventHandler(OnShutdown(on_shutdown=[remove])),
        _included("ros_gz_sim", "gz_sim.launch.py", {"gz_args": f"-r {folder / WORLD}"}),
        _node("ros_gz_bridge", "parameter_bridge", arguments=BRIDGED, parameters=[clock]),
        _node("robot_state_publisher", "robot_state_publisher", parameters=[description]),
        _node("ros_gz_sim", "create", arguments=["-topic", "robot_description"], on_exit=_done),
        _node("controller_manager", "spawner", arguments=spawned, on_exit=_done),
        _node(PACKAGE, "suite", ros_arguments=suite, remappings=TOPICS),
        _included(PACKAGE, "rviz.launch.py", rviz, LaunchConfiguration("rviz")),
    ]


def _included(package, file, arguments, wanted=None):
    condition = {} if wanted is None else {"condition": IfCondition(wanted)}
    path = PathJoinSubstitution([FindPackageShare(package), "launch", file])
    return actions.IncludeLaunchDescription(path, launch_arguments=arguments.items(), **condition)


def _node(package, executable, **options):
    end, space = actions.Shutdown(reason=f"{executable} ended"), LaunchConfiguration("namespace")
    own = {"package": package, "executable": executable, "output": "screen"}
    return Node(**({**own, "namespace": space, "on_exit": end} | options))


def _done(event, context):
    """End everything when the arm or a controller could not be started."""
    return actions.Shutdown(reason="no arm, or no controllers") if event.returncode else None
