# SPDX-License-Identifier: Apache-2.0
"""A simulated arm approaches a surface and hits it, once.

Example:
    ros2 launch impact_control simulation.launch.py impact_limits:=existential
"""

import posixpath
import tempfile
from pathlib import Path

import yaml
from launch import LaunchDescription, actions
from launch.event_handlers import OnProcessExit
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from impact_qp.plan import IMPACT_LIMITS
from impact_ros.experiment import Run, suite_parameters
from impact_sim.scenarios import load_scenario, scenario_names

SIMULATED = ("scenario", "seed", "noise", "realtime", "duration")  # parameters of impact_sim
CONFIGURE, ACTIVATE = 1, 3  # of lifecycle_msgs/Transition


def generate_launch_description():
    arguments = {
        "scenario": ("qp_panda_demo", "What is hit, and how", [*scenario_names()]),
        "impact_limits": ("robust", "Which impulses must respect the limits", [*IMPACT_LIMITS]),
        "seed": ("0", "Seed of the sensor noise", None),
        "noise": ("true", "Sensor noise as on a real Panda", ["true", "false"]),
        "realtime": ("false", "Wall clock instead of lockstep", ["true", "false"]),
        "duration": ("30.0", "Longest simulated time [s]", None),
        "namespace": ("", "Namespace of all nodes", None),
    }
    declared = [
        actions.DeclareLaunchArgument(name, default_value=value, description=text, choices=choices)
        for name, (value, text, choices) in arguments.items()
    ]
    return LaunchDescription([*declared, actions.OpaqueFunction(function=_actions)])


def _actions(context):
    value = context.launch_configurations
    scenario, realtime = load_scenario(value["scenario"]), value["realtime"] == "true"
    run = Run(scenario, value["impact_limits"], folder=Path(), realtime=realtime)
    # A dictionary would go to each of the three nodes; only a file can say which one is meant.
    with tempfile.NamedTemporaryFile("w", suffix=".yaml", delete=False) as file:
        yaml.safe_dump({f"/**/{node}": own for node, own in suite_parameters(run).items()}, file)
    simulated = {name: LaunchConfiguration(name) for name in SIMULATED}
    configure, activate = (_transition(value["namespace"], id) for id in (CONFIGURE, ACTIVATE))
    return [
        _node("impact_sim", simulated),
        _node("suite", file.name),
        configure,
        actions.RegisterEventHandler(OnProcessExit(target_action=configure, on_exit=[activate])),
    ]


def _node(executable, parameters):
    return Node(
        package="impact_control",
        executable=executable,
        namespace=LaunchConfiguration("namespace"),
        parameters=[parameters],
        output="screen",
        on_exit=actions.Shutdown(),
    )


def _transition(namespace, id):
    """Call the service: the action LifecycleNode would rename all nodes of the process.

    `ros2 service call` waits until the service is there, `ros2 lifecycle set` does not.
    """
    service = posixpath.join("/", namespace, "impact_qp/change_state")
    request = f"{{transition: {{id: {id}}}}}"
    call = ["ros2", "service", "call", service, "lifecycle_msgs/srv/ChangeState", request]
    return actions.ExecuteProcess(cmd=call, output="screen")
