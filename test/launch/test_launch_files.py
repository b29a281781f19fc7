# SPDX-License-Identifier: Apache-2.0
"""Launch files on paper: what they start exists, what they set is declared."""

import ast
import py_compile
from pathlib import Path

import pytest

pytest.importorskip("rclpy")

from lifecycle_msgs.msg import Transition
from rclpy.context import Context

from impact_detector.node import DetectorNode
from impact_predictor.node import PredictorNode
from impact_qp.node import ImpactQpNode
from impact_ros.parameters import specifications
from impact_sim.node import ImpactSimNode, SimulationParameters
from impact_sim.scenarios import load_scenario, scenario_names

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(path.name.removesuffix(".launch.py") for path in ROOT.glob("launch/*.launch.py"))
NODES = {
    "impact_sim": [ImpactSimNode],
    "suite": [DetectorNode, PredictorNode, ImpactQpNode],
    "impact_detector": [DetectorNode],
    "impact_predictor": [PredictorNode],
}
SURFACE = ["-p", "contact_point:=[0.5, 0.0, 0.4]", "-p", "contact_normal:=[-1.0, 0.0, 0.0]"]


class Graph:
    """The nodes of one executable, made here with the arguments that launch would give it."""

    def __init__(self, executable, arguments):
        self.context = Context()
        self.context.init(args=arguments)
        self.nodes = {}
        for make in NODES[executable]:
            node = make(context=self.context)
            self.nodes[node.get_name()] = node

    def topics(self, node):
        """Return the names of the topics that a node subscribes to, and publishes."""
        made = self.nodes[node]
        return (
            {each.topic_name for each in made.subscriptions},
            {each.topic_name for each in made.publishers},
        )

    def close(self):
        for node in self.nodes.values():
            node.destroy_node()
        self.context.try_shutdown()


@pytest.fixture
def graph():
    made = []

    def make(executable, arguments):
        made.append(Graph(executable, arguments))
        return made[-1]

    yield make
    for each in made:
        each.close()


def console_scripts():
    """Return module and function by name of the console script, as setup.py says."""
    (call,) = (
        node
        for node in ast.walk(ast.parse((ROOT / "setup.py").read_text()))
        if isinstance(node, ast.keyword) and node.arg == "entry_points"
    )
    lines = ast.literal_eval(call.value)["console_scripts"]
    return dict(line.split(" = ") for line in lines)


@pytest.mark.parametrize("name", FILES)
def test_a_launch_file_compiles_and_is_thin(name, tmp_path):
    path = ROOT / "launch" / f"{name}.launch.py"
    py_compile.compile(str(path), cfile=str(tmp_path / "compiled"), doraise=True)
    assert len(path.read_text().splitlines()) < 80


@pytest.mark.parametrize("name", FILES)
def test_every_argument_has_a_default_and_a_description(launch_file, name):
    launched = launch_file(name)
    assert "namespace" in launched.arguments
    for argument in launched.arguments.values():
        assert argument.default is not None
        assert argument.description


@pytest.mark.parametrize("name", FILES)
def test_every_executable_is_a_console_script_of_the_package(launch_file, name):
    launched = launch_file(name)
    assert launched.lines
    assert set(launched.lines) <= set(console_scripts())
    assert {node.kwargs["package"] for node in launched.of("Node")} == {"impact_control"}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("namespace", ["", "left"])
def test_every_parameter_is_known_to_its_node(launch_file, graph, name, namespace, capfd):
    for executable, line in launch_file(name, namespace=namespace).lines.items():
        for node in graph(executable, line).nodes.values():
            declared = set(node.list_parameters([], 0).names)
            assert set(node._parameter_overrides) <= declared
            assert node._parameter_overrides, f"{node.get_name()} was told nothing"
    assert "unknown" not in capfd.readouterr().err


def test_the_simulation_is_the_scenario_in_lockstep(launch_file, graph):
    launched = launch_file("simulation", scenario="qp_panda_cfg2", impact_limits="existential")
    nodes = graph("suite", launched.lines["suite"]).nodes
    scenario = load_scenario("qp_panda_cfg2")
    controller, detector = nodes["impact_qp"], nodes["impact_detector"]
    assert controller.get_parameter("friction").value == scenario.friction
    assert controller.get_parameter("impact_limits").value == "existential"
    assert controller.get_parameter("lockstep").value
    assert detector.get_parameter("lockstep").value
    assert detector.get_parameter("threshold").value == scenario.detection_threshold


def test_the_simulated_robot_gets_every_argument_it_declares(launch_file, graph):
    given = {"seed": "7", "noise": "false", "realtime": "true", "duration": "3"}
    launched = launch_file("simulation", **given)
    (node,) = graph("impact_sim", launched.lines["impact_sim"]).nodes.values()
    assert node.parameters.seed == 7
    assert not node.parameters.noise
    assert node.parameters.realtime
    assert node.parameters.duration == 3.0
    suite = graph("suite", launched.lines["suite"]).nodes
    assert not suite["impact_qp"].get_parameter("lockstep").value


def test_the_choices_are_those_of_the_nodes(launch_file):
    arguments = launch_file("simulation").arguments
    assert tuple(arguments["scenario"].choices) == scenario_names()
    limits = specifications(ImpactQpNode.PARAMETERS)["impact_limits"].choices
    assert tuple(arguments["impact_limits"].choices) == limits
    assert specifications(SimulationParameters)["scenario"].choices == scenario_names()


@pytest.mark.parametrize(
    ("namespace", "service"),
    [("", "/impact_qp/change_state"), ("left", "/left/impact_qp/change_state")],
)
def test_the_simulation_configures_then_activates(launch_file, namespace, service):
    launched = launch_file("simulation", namespace=namespace)
    (configure,) = launched.of("ExecuteProcess")
    (handler,) = launched.of("RegisterEventHandler")
    (exited,) = handler.args
    assert exited.kwargs["target_action"] is configure
    (activate,) = exited.kwargs["on_exit"]
    names = (Transition.TRANSITION_CONFIGURE, Transition.TRANSITION_ACTIVATE)
    for action, number in zip((configure, activate), names, strict=True):
        command = ["ros2", "service", "call", service, "lifecycle_msgs/srv/ChangeState"]
        assert action.kwargs["cmd"] == [*command, f"{{transition: {{id: {number}}}}}"]


@pytest.mark.parametrize("name", ["robot", "replay"])
def test_nothing_else_configures_anything(launch_file, name):
    launched = launch_file(name)
    assert not launched.of("ExecuteProcess")
    assert not launched.of("RegisterEventHandler")


def test_the_robots_topics_are_remapped(launch_file, graph):
    launched = launch_file(
        "robot",
        joint_states="driver/measured",
        desired_joint_states="/driver/desired",
        wrench="sensor/wrench",
        commands="forward_command_controller/commands",
        namespace="left",
    )
    made = graph("suite", launched.lines["suite"] + SURFACE)
    made.nodes["impact_qp"].trigger_configure()
    inputs, outputs = made.topics("impact_qp")
    assert inputs >= {"/left/driver/measured", "/left/impact_detector/status"}
    assert "/left/forward_command_controller/commands" in outputs
    assert "/left/impact_qp/desired_joint_states" in outputs
    inputs, _ = made.topics("impact_detector")
    assert inputs >= {"/left/driver/measured", "/driver/desired", "/left/sensor/wrench"}
    inputs, _ = made.topics("impact_predictor")
    assert "/left/driver/measured" in inputs


def test_without_arguments_the_suite_hears_its_own_desired_states(launch_file, graph):
    made = graph("suite", launch_file("robot").lines["suite"] + SURFACE)
    made.nodes["impact_qp"].trigger_configure()
    assert "/impact_qp/desired_joint_states" in made.topics("impact_detector")[0]
    assert "/impact_qp/desired_joint_states" in made.topics("impact_qp")[1]
    assert "/impact_qp/commands" in made.topics("impact_qp")[1]


def test_a_recordings_topics_are_remapped(launch_file, graph):
    lines = launch_file(
        "replay", joint_states="a", desired_joint_states="b", wrench="c", wrench_batch="d"
    ).lines
    detector = graph("impact_detector", lines["impact_detector"])
    assert detector.topics("impact_detector")[0] >= {"/a", "/b", "/c", "/d"}
    predictor = graph("impact_predictor", lines["impact_predictor"])
    assert "/a" in predictor.topics("impact_predictor")[0]


@pytest.mark.parametrize("name", ["robot", "replay"])
def test_an_argument_wins_over_the_parameter_file(launch_file, graph, name, shipped_as):
    urdf = shipped_as("arm_")
    lines = launch_file(name, robot="panda", urdf=str(urdf), joint_prefix="arm_").lines
    for executable, line in lines.items():
        for node in graph(executable, line).nodes.values():
            assert node.get_parameter("joint_prefix").value == "arm_"
            assert node.get_parameter("urdf").value == str(urdf)
