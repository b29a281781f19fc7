# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Common parts of launch files: arguments, discovery range, nodes, RViz, temporary files.

Needs launch and launch_ros, which come with a ROS distribution; only launch files import it.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from launch import LaunchDescription, actions
from launch.conditions import IfCondition
from launch.event_handlers import OnShutdown
from launch.substitutions import EnvironmentVariable, LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.substitutions import ExecutableInPackage, FindPackageShare

from impact_detector.box_parameters import box_parameters
from impact_robots.description.loader import load_robot
from impact_robots.exceptions import ImpactError
from impact_robots.task.box_task import BoxTask
from impact_robots.task.hit_task import HitTask
from impact_robots.yaml_file import read_mapping
from impact_ros.exceptions import RosError
from impact_ros.parameters import misspelt, of_node

PACKAGE = "impact_control"
BOOLEANS = ["true", "false"]
RANGE = "ROS_AUTOMATIC_DISCOVERY_RANGE"
NAMESPACE = {"namespace": ("", "Namespace of all nodes")}
# Of a file that starts nodes of the suite.
COMMON = {
    "discovery_range": (
        EnvironmentVariable(RANGE, default_value="LOCALHOST"),
        "Range of DDS discovery: LOCALHOST, or SUBNET for the network",
    ),
    **NAMESPACE,
}
SUITE = {"rviz": ("false", "Also start RViz", BOOLEANS), **COMMON}
ROBOT = ("robot", "urdf", "joint_prefix")  # arguments that replace parameters of these names
# Of a file that also simulates, so that the controller is activated once.
TIMEOUT = {"timeout": ("60.0", "Give up when the controller is not active after this time [s]")}
ENDS = "shutdown_when_over"  # argument of a simulator, and of the launch file that starts it
OVER = {ENDS: ("false", "Shut down when it has finished; false: run until Ctrl-C", BOOLEANS)}


def description(arguments: Mapping[str, tuple[Any, ...]], make: Callable[[Any], list[Any]]) -> Any:
    """Return a launch description.

    Args:
        arguments: Default, description and, for some, choices, by name.
        make: Returns the actions, given the launch context with the arguments' values.
    """
    declared = [
        actions.DeclareLaunchArgument(
            name, default_value=default, description=text, choices=choices[0] if choices else None
        )
        for name, (default, text, *choices) in arguments.items()
    ]
    warned = actions.OpaqueFunction(function=lambda _context: _unknown(arguments, make))
    return LaunchDescription([*declared, warned, actions.OpaqueFunction(function=make)])


def _unknown(arguments: Mapping[str, Any], make: Callable[[Any], list[Any]]) -> list[Any]:
    """Return a line for each argument of the command line that the launch file does not declare.

    Only of the file that the command line names: one that is included inherits others' arguments.
    """
    file = Path(make.__code__.co_filename).name
    if file not in (Path(each).name for each in sys.argv):
        return []
    names = [each.split(":=")[0] for each in sys.argv if ":=" in each]
    lines = misspelt(names, arguments)
    return [actions.LogInfo(msg=f"[WARN] launch argument {line}") for line in lines]


def limited_discovery() -> Any:
    """Return the action that applies the argument ``discovery_range``."""
    return actions.SetEnvironmentVariable(RANGE, LaunchConfiguration("discovery_range"))


def shared_file(folder: str, name: str) -> Any:
    """Return the path of a file of the installed package, when it is launched."""
    return PathJoinSubstitution([FindPackageShare(PACKAGE), folder, name])


def node(package: str, executable: str, **options: Any) -> Any:
    """Return a node in the namespace of the argument ``namespace``; its end shuts down launch."""
    own = {
        "namespace": LaunchConfiguration("namespace"),
        "on_exit": actions.Shutdown(reason=f"{executable} ended"),
        "output": "screen",
    }
    return Node(package=package, executable=executable, **(own | options))


def set_to(values: Mapping[str, Any], node_name: str = "") -> list[str]:
    """Return ROS arguments that set parameters to values.

    Args:
        values: by parameter.
        node_name: name of their node in a process with several; empty: all nodes.
    """
    where = f"{node_name}:" if node_name else ""
    return [
        part for name in values for part in ("-p", f"{where}{name}:={json.dumps(values[name])}")
    ]


def box_detectors(
    task: BoxTask, *settings: Any, lockstep: bool = True, **options: Any
) -> list[Any]:
    """Return the detectors of a task's arms, in the namespaces of named arms.

    Args:
        task: task of arms that hit a box.
        *settings: further ROS arguments.
        lockstep: they wait for the other nodes (simulation).
        **options: of the nodes.
    """
    found = []
    for arm, name in enumerate(task.arm_names):
        own = [*settings, *set_to(box_parameters(task, arm, lockstep=lockstep))]
        within = {"namespace": [LaunchConfiguration("namespace"), "/", name]} if name else {}
        found.append(node(PACKAGE, "impact_detector", ros_arguments=own, **(options | within)))
    return found


def command(executable: str, *arguments: str) -> Any:
    """Return a program of the suite that is no node; its end shuts down launch.

    Its output is instructions for the user and goes to the log only; errors go to the terminal.
    """
    return actions.ExecuteProcess(
        cmd=[ExecutableInPackage(executable, PACKAGE), *arguments],
        on_exit=actions.Shutdown(reason=f"{arguments[0]} ended"),
        output={"stdout": "log", "stderr": "screen"},
    )


def unless_done(reason: str) -> Callable[[Any, Any], Any]:
    """Return an ``on_exit`` of a node that ends after its work: only its failure shuts down."""
    return lambda event, _context: actions.Shutdown(reason=reason) if event.returncode else None


def activated(context: Any, name: str) -> Any:
    """Return the node that brings up a lifecycle node within the argument ``timeout``."""
    wait = [name, "--timeout", LaunchConfiguration("timeout").perform(context)]
    return node(PACKAGE, "bring_up", arguments=wait, on_exit=unless_done("not activated"))


def given(values: Mapping[str, str], names: Iterable[str], node_name: str = "") -> list[str]:
    """Return ROS arguments that set parameters from launch arguments of the same names, if set.

    Args:
        values: of the launch file's arguments, by name.
        names: of parameters.
        node_name: of the node whose they are, where a process has several; empty: of all.
    """
    where = f"{node_name}:" if node_name else ""
    known = [(name, values.get(name)) for name in names]
    return [part for name, value in known if value for part in ("-p", f"{where}{name}:={value}")]


def included(package: str, file: str, arguments: Mapping[str, Any], **options: Any) -> Any:
    """Return another package's launch file, with arguments."""
    path = PathJoinSubstitution([FindPackageShare(package), "launch", file])
    return actions.IncludeLaunchDescription(path, launch_arguments=arguments.items(), **options)


def rviz(**arguments: Any) -> Any:
    """Return RViz with arguments of its launch file; the argument ``rviz`` starts it."""
    wanted = IfCondition(LaunchConfiguration("rviz"))
    return included(PACKAGE, "rviz.launch.py", arguments, condition=wanted)


def rviz_of(context: Any, node_name: str, task: Any = None, **arguments: str) -> list[Any]:
    """Return RViz with one arm, or a line that says why there is none.

    The robot is that of the launch arguments, of the task, or of the parameter file.

    Args:
        context: of the launch.
        node_name: whose parameters are read in the file of the argument ``parameters``.
        task: None for none.
        **arguments: further ones of RViz's launch file.
    """
    value = context.launch_configurations
    if value["rviz"] != "true":
        return []
    try:
        known = _robot_parameters(value["parameters"], node_name, task)
        own = {name: value[name] or known[name] for name in ROBOT}
        robot, urdf, prefix = (own[name] or None for name in ROBOT)
        load_robot(robot or "panda", urdf=urdf, joint_prefix=prefix)
    except ImpactError as error:
        return [actions.LogInfo(msg=f"no RViz: {error}")]
    return [rviz(**own, **arguments)]


def _robot_parameters(path: str, node_name: str, task: Any) -> dict[str, str]:
    """Return the robot of a task, or the parameters that name a node's in a file; "" for none.

    Raises:
        ImpactError: the task has several arms or a humanoid, or there is no such file.
    """
    nothing = dict.fromkeys(ROBOT, "")
    if task is not None and not isinstance(task, HitTask):
        if not _is_one_arm(task):
            raise RosError("it shows one arm, the task is of another robot")
        return nothing | {"robot": task.cell.robots[0].robot}
    document = read_mapping(Path(path))
    found = (of_node(document, "**") or {}) | (of_node(document, node_name) or {})
    found |= {"robot": task.robot} if task is not None and task.robot else {}
    return nothing | {name: str(found[name]) for name in ROBOT if found.get(name)}


def _is_one_arm(task: Any) -> bool:
    """Tell whether a task is a push by one arm, whose topics have no namespace of its own."""
    return isinstance(task, BoxTask) and task.arm_names == ("",)


def refuse_unused(values: Mapping[str, str], arguments: Mapping[str, Any], task: Any) -> None:
    """Refuse arguments of ``robot.launch.py`` without effect.

    Args:
        values: of the arguments, by name.
        arguments: as of :func:`description`.
        task: None for none.

    Raises:
        RosError: one of them differs from its default.
    """
    used = {"parameters", "task", "cell"}
    if task is None or isinstance(task, HitTask):
        used = {*arguments} - {"cell"}
    elif _is_one_arm(task):
        used = {*arguments} - {*ROBOT}
    unused = [name for name in arguments if name not in used]
    given = [f"{name}:={values[name]}" for name in unused if values[name] != arguments[name][0]]
    if given:
        with_task = f"with task {values['task']}" if values["task"] else "without a task"
        raise RosError(f"{' '.join(given)}: has no effect {with_task}, expected none")


def removed_at_the_end(path: Path) -> Any:
    """Return the action that removes a file or a folder at shutdown."""

    def remove(_context: Any) -> None:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)

    gone = actions.OpaqueFunction(function=remove)
    return actions.RegisterEventHandler(OnShutdown(on_shutdown=[gone]))
