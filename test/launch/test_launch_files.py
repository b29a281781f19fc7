# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Launch files on paper: what they start exists, what they set is declared."""

import py_compile
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import mujoco
import numpy as np
import pytest
import yaml
from console_scripts import console_scripts

pytest.importorskip("rclpy")

import itertools

from rclpy.context import Context
from rclpy.lifecycle import TransitionCallbackReturn

from impact_cli.command_line import make_parser
from impact_detector.box_parameters import box_parameters
from impact_detector.node import DetectorNode
from impact_drivers.franka.node import FrankaNode
from impact_predictor.node import PredictorNode
from impact_qp.arms.node import ImpactSpreadingNode
from impact_qp.body.node import ImpactHumanoidNode
from impact_qp.governor.node import ImpactGovernorNode
from impact_qp.node import ImpactQpNode
from impact_robots import ArmDynamics, load_robot
from impact_robots.task.find import find_box_task
from impact_ros.exceptions import RosError
from impact_ros.node.closing import close
from impact_ros.parameters import specifications
from impact_sim.cell.node import ImpactCellNode
from impact_sim.cell.spreading_scenario import SpreadingScenario
from impact_sim.humanoid.node import ImpactHumanoidSimNode
from impact_sim.node import ImpactSimNode, SimulationParameters
from impact_sim.scenario_choice import find
from impact_sim.scenarios import load_scenario, scenario_names

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(path.name.removesuffix(".launch.py") for path in ROOT.glob("launch/*.launch.py"))
OF_THE_SUITE = [name for name in FILES if name != "rviz"]  # that one starts others' nodes
WITH_RVIZ = [
    name for name in OF_THE_SUITE if name not in ("cell", "grab", "governor")
]  # one arm is shown
NODES = {
    "impact_sim": [ImpactSimNode],
    "impact_cell": [ImpactCellNode],
    "impact_spreading": [ImpactSpreadingNode],
    "impact_humanoid_sim": [ImpactHumanoidSimNode],
    "impact_humanoid": [ImpactHumanoidNode],
    "suite": [DetectorNode, PredictorNode, ImpactQpNode],
    "impact_detector": [DetectorNode],
    "impact_predictor": [PredictorNode],
    "franka": [FrankaNode],
    "impact_governor": [ImpactGovernorNode],
}
OTHERS = {
    "mujoco": ("robot_state_publisher", "mujoco_ros2_control", "controller_manager"),
    "gazebo": ("robot_state_publisher", "ros_gz_sim", "ros_gz_bridge", "controller_manager"),
    "mock_hardware": ("robot_state_publisher", "controller_manager"),
}
ENDING = ("bring_up", "spawner", "create")  # with their work done
COMPARES = ["-p", "detectors:=[torque_error]"]  # with the reference torque
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
            {each.topic_name for each in (*made.subscriptions, *getattr(made, "unserved", ()))},
            {each.topic_name for each in made.publishers},
        )

    def close(self):
        close(*self.nodes.values(), context=self.context)


@pytest.fixture
def graph():
    made = []

    def make(executable, arguments):
        made.append(Graph(executable, arguments))
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.mark.parametrize("name", FILES)
def test_a_launch_file_compiles_and_is_thin(name, tmp_path):
    path = ROOT / "launch" / f"{name}.launch.py"
    py_compile.compile(str(path), cfile=str(tmp_path / "compiled"), doraise=True)
    assert len(path.read_text().splitlines()) < 100


@pytest.mark.parametrize("name", FILES)
def test_every_argument_has_a_default_and_a_description(launch_file, name):
    launched = launch_file(name)
    assert "namespace" in launched.arguments
    for argument in launched.arguments.values():
        assert argument.default is not None
        assert argument.description


@pytest.mark.parametrize("name", OF_THE_SUITE)
def test_every_executable_is_a_console_script_of_the_package(launch_file, name):
    launched = launch_file(name)
    assert launched.lines
    assert set(launched.lines) <= set(console_scripts())
    packages = {node.kwargs["package"] for node in launched.of("Node")}
    assert packages == {"impact_control", *OTHERS.get(name, ())}


@pytest.mark.parametrize("name", OF_THE_SUITE)
@pytest.mark.parametrize("namespace", ["", "left"])
def test_every_parameter_is_known_to_its_node(
    launch_file, graph, name, namespace, capfd, shipped_as
):
    needed = {"urdf": str(shipped_as("fr3_"))} if name == "franka" else {}
    if name == "governor":  # the shared file says nothing of it
        needed = {"interface": "position"}
    lines = launch_file(name, namespace=namespace, **needed).lines
    assert lines.pop("bring_up", None) is None or name in ("simulation", "cell", "grab")
    for executable, line in lines.items():
        for node in graph(executable, line).nodes.values():
            declared = set(node.list_parameters([], 0).names)
            assert set(node._parameter_overrides) <= declared
            assert node._parameter_overrides, f"{node.get_name()} got no parameters"
    assert "unknown" not in capfd.readouterr().err


def test_the_simulation_is_the_scenario_in_lockstep(launch_file, graph):
    launched = launch_file("simulation", scenario="qp_panda_cfg2", impact_limits="existential")
    nodes = graph("suite", launched.lines["suite"]).nodes
    scenario = load_scenario("qp_panda_cfg2")
    controller, detector = nodes["impact_qp"], nodes["impact_detector"]
    assert controller.get_parameter("friction").value == [scenario.friction] * 2
    assert controller.get_parameter("impact_limits").value == "existential"
    assert controller.get_parameter("lockstep").value
    assert detector.get_parameter("lockstep").value
    assert detector.get_parameter("threshold").value == scenario.detection_threshold


def test_the_simulated_robot_gets_every_argument_it_declares(launch_file, graph):
    given = {"seed": "7", "noise": "false", "realtime": "true", "duration": "3"}
    given |= {"after_contact": "60.0"}
    launched = launch_file("simulation", **given)
    (node,) = graph("impact_sim", launched.lines["impact_sim"]).nodes.values()
    assert node.parameters.seed == 7
    assert not node.parameters.noise
    assert node.parameters.realtime
    assert node.parameters.duration == 3.0
    assert node.parameters.after_contact == 60.0
    suite = graph("suite", launched.lines["suite"]).nodes
    assert not suite["impact_qp"].get_parameter("lockstep").value


def test_the_choices_are_those_of_the_nodes(launch_file):
    arguments = launch_file("simulation").arguments
    assert tuple(arguments["scenario"].choices) == scenario_names()
    limits = specifications(ImpactQpNode.PARAMETERS)["impact_limits"].choices
    assert tuple(arguments["impact_limits"].choices) == tuple(limits)
    assert specifications(SimulationParameters)["scenario"].choices == scenario_names()


def test_the_franka_node_gets_the_arguments_that_are_given(launch_file, graph, shipped_as):
    urdf = str(shipped_as("fr3_"))
    launched = launch_file("franka", urdf=urdf, address="192.168.1.11", dry_run="true")
    node = graph("franka", launched.lines["franka"]).nodes["franka"]
    got = [node.get_parameter(name).value for name in ("urdf", "address", "dry_run")]
    assert got == [urdf, "192.168.1.11", True]
    assert node.get_parameter("speed_cap").value == 0.1


def test_a_fake_arm_is_started_and_told_to_the_node(launch_file, graph):
    pytest.importorskip("franky_sim", reason="the FR3's URDF is in franky-sim")
    from impact_drivers.fake_fr3.fake_setup import FakeSetup

    launched = launch_file("franka", fake="true", address="127.1.2.3")
    (fake,) = launched.of("ExecuteProcess")
    words = fake.command_line(launched.context)
    assert words == ["impact", "fake-fr3", "--address", "127.1.2.3"]
    assert make_parser("fake-fr3").parse_args(words[1:]).address == "127.1.2.3"
    node = graph("franka", launched.lines["franka"]).nodes["franka"]
    given = {name: each.value for name, each in node._parameters.items()}
    assert given["address"] == "127.1.2.3" and given["realtime"] is False
    assert given["deadman"] == 1.0 and given["raise_thresholds"] is True
    setup = FakeSetup()
    place = setup.load_scenario().surface_point(setup.load_robot())
    assert np.allclose(given["contact_point"], place, atol=1e-3)
    assert np.array_equal(given["contact_normal"], setup.load_scenario().normal)
    assert load_robot("fr3", urdf=given["urdf"]).dof == 7


def test_a_parameter_file_of_ones_own_says_where_the_fake_arms_wall_is(launch_file):
    pytest.importorskip("franky_sim", reason="the FR3's URDF is in franky-sim")
    line = launch_file("franka", fake="true", parameters="mine.yaml").lines["franka"]
    files = [after for word, after in itertools.pairwise(line) if word == "--params-file"]
    assert files == ["mine.yaml"]


@pytest.mark.parametrize("namespace", ["", "lab"])
def test_each_arm_of_a_cell_has_a_detector_that_its_controller_hears(launch_file, graph, namespace):
    chosen = {"variant": "timed", "object_map": "mujoco"}
    launched = launch_file("cell", scenario="rs_grab_safe", namespace=namespace, **chosen)
    prefix = f"/{namespace}" if namespace else ""
    detectors = [n for n in launched.of("Node") if n.kwargs["executable"] == "impact_detector"]
    verdicts, scenario = set(), find("rs_grab_safe", SpreadingScenario)
    for arm, each in enumerate(detectors):
        (node,) = graph("impact_detector", each.command_line(launched.context)).nodes.values()
        verdicts.add(node.get_fully_qualified_name() + "/status")
        for name, value in box_parameters(scenario, arm).items():
            assert list(np.atleast_1d(node.get_parameter(name).value)) == list(np.atleast_1d(value))
    assert verdicts == {f"{prefix}/{name}/impact_detector/status" for name in ("left", "right")}
    made = graph("impact_spreading", launched.lines["impact_spreading"])
    controller = made.nodes["impact_spreading"]
    controller.trigger_configure()
    heard, sent = made.topics("impact_spreading")
    plant = graph("impact_cell", launched.lines["impact_cell"])
    measured, commands = plant.topics("impact_cell")[::-1]
    assert verdicts < heard and commands < sent and heard - verdicts < measured
    settings = controller.settings
    assert settings.lockstep and {name: getattr(settings, name) for name in chosen} == chosen
    jumps = [arm._guarded.controller.plan.reference.jump[1] for arm in controller.arms]
    assert jumps[0][2] != pytest.approx(jumps[1][2], abs=1e-3)  # the usual map makes them one
    controller.trigger_shutdown()


CELL = """
robots:
  front: {robot: panda_plate, base: [0.0, 0.45, 0.0]}
  back: {robot: panda_plate, base: [0.0, -0.45, 0.0]}
"""


def test_two_real_arms_grab_without_a_simulator(launch_file, graph, tmp_path):
    """Controller and detectors hear and command the drivers of the cell, in real time."""
    (tmp_path / "cell.yaml").write_text(CELL)
    (tmp_path / "grab.yaml").write_text("{like: rs_grab_safe, impact_limits: joint_load}")
    task, cell = (str(tmp_path / f"{name}.yaml") for name in ("grab", "cell"))
    launched = launch_file("robot", task=task, cell=cell)
    assert set(launched.lines) == {"impact_detector", "impact_spreading"}
    controller = graph("impact_spreading", launched.lines["impact_spreading"])
    node = controller.nodes["impact_spreading"]
    assert node.trigger_configure() is TransitionCallbackReturn.SUCCESS
    heard, sent = controller.topics("impact_spreading")
    detectors = [n for n in launched.of("Node") if n.kwargs["executable"] == "impact_detector"]
    for arm, name, each in zip((0, 1), ("front", "back"), detectors, strict=True):
        assert f"/{name}/joint_states" in heard and f"/{name}/impact_qp/commands" in sent
        made = graph("impact_detector", each.command_line(launched.context))
        (detector,) = made.nodes.values()
        assert f"{detector.get_fully_qualified_name()}/status" in heard
        assert not detector.get_parameter("lockstep").value
        normal = -find_box_task("rs_grab_safe").direction(arm)
        assert list(detector.get_parameter("contact_normal").value) == normal.tolist()
    node.trigger_shutdown()


def test_a_simulated_cells_controller_is_given_task_and_cell_alone(launch_file, graph, tmp_path):
    (tmp_path / "cell.yaml").write_text(CELL)
    (tmp_path / "world.yaml").write_text("{task: task.yaml, cell: cell.yaml, box_mass: 1.5}")
    (tmp_path / "task.yaml").write_text("{like: rs_grab_safe}")
    given = {name: str(tmp_path / f"{name}.yaml") for name in ("task", "cell")}
    launched = launch_file("cell", scenario=str(tmp_path / "world.yaml"), **given)
    plant = graph("impact_cell", launched.lines["impact_cell"]).nodes["impact_cell"]
    made = graph("impact_spreading", launched.lines["impact_spreading"])
    controller = made.nodes["impact_spreading"]
    assert (controller.settings.task, controller.settings.cell) == tuple(given.values())
    told = find_box_task(given["task"], given["cell"])
    assert replace(plant.scenario.task, name=told.name) == told
    assert plant.scenario.box_mass == 1.5


def test_an_arm_hits_what_its_task_says(launch_file, graph, tmp_path):
    path = tmp_path / "hit.yaml"
    path.write_text("{contact_point: [0.5, 0, 0.4], contact_normal: [-1, 0, 0], speed: 0.05}")
    nodes = graph("suite", launch_file("robot", task=str(path)).lines["suite"]).nodes
    controller = nodes["impact_qp"]
    assert controller.trigger_configure() is TransitionCallbackReturn.SUCCESS
    assert list(nodes["impact_detector"].get_parameter("contact_normal").value) == [-1, 0, 0]
    controller.trigger_shutdown()


def test_a_humanoid_grabs_what_its_task_says(launch_file, graph):
    launched = launch_file("robot", task="qp_hrp4_grab_heavy")
    made = graph("impact_humanoid", launched.lines["impact_humanoid"])
    node = made.nodes["impact_humanoid"]
    assert node.trigger_configure() is TransitionCallbackReturn.SUCCESS
    node.trigger_shutdown()


@pytest.mark.parametrize("namespace", ["", "lab"])
def test_a_humanoid_and_its_controller_hear_each_other(launch_file, graph, namespace):
    given = {"impact_limits": "existential", "seed": "5", "noise": "false"}
    launched = launch_file("grab", namespace=namespace, **given)
    made = graph("impact_humanoid", launched.lines["impact_humanoid"])
    controller = made.nodes["impact_humanoid"]
    controller.trigger_configure()
    heard, sent = made.topics("impact_humanoid")
    plant = graph("impact_humanoid_sim", launched.lines["impact_humanoid_sim"])
    commands, measured = plant.topics("impact_humanoid_sim")
    assert len(heard) == 6 and heard < measured and commands < sent
    assert controller.settings.lockstep and controller.settings.impact_limits == "existential"
    simulated = plant.nodes["impact_humanoid_sim"].parameters
    assert (simulated.seed, simulated.noise) == (5, False)
    controller.trigger_shutdown()


@pytest.mark.parametrize("given", ["true", "false"])
def test_the_simulated_arm_approaches_at_once_or_waits_for_goals(launch_file, graph, given):
    launched = launch_file("simulation", approach_on_activation=given)
    controller = graph("suite", launched.lines["suite"]).nodes["impact_qp"]
    assert controller.get_parameter("approach_on_activation").value == (given == "true")


def test_the_simulation_ends_when_the_controller_is_not_activated(launch_file):
    launched = launch_file("simulation", timeout="7.0")
    (node,) = (each for each in launched.of("Node") if each.kwargs["executable"] == "bring_up")
    assert node.kwargs["arguments"] == ["impact_qp", "--timeout", "7.0"]
    ended = node.kwargs["on_exit"]
    assert ended(SimpleNamespace(returncode=0), launched.context) is None
    for status in (1, 2, -9):
        action = ended(SimpleNamespace(returncode=status), launched.context)
        assert type(action).__name__ == "Shutdown"


@pytest.mark.parametrize("name", ["simulation", "mujoco", "gazebo", "mock_hardware"])
def test_a_simulations_files_are_removed_at_the_end(launch_file, name):
    launched = launch_file(name)
    line = launched.lines["suite"]
    file = Path(line[line.index("--params-file") + 1])
    assert file.exists()
    (handler,) = launched.of("RegisterEventHandler")
    (event,) = handler.args
    assert type(event).__name__ == "OnShutdown"
    (remove,) = event.kwargs["on_shutdown"]
    remove.kwargs["function"](launched.context)
    assert not file.exists()


@pytest.mark.parametrize("name", OF_THE_SUITE)
def test_a_dead_process_ends_the_launch(launch_file, name):
    for node in launch_file(name).of("Node"):
        if node.kwargs["executable"] not in ENDING:
            assert type(node.kwargs["on_exit"]).__name__ == "Shutdown"


@pytest.mark.parametrize("flexible", ["true", "false"])
def test_mujocos_nodes_agree_about_controllers_topics_and_files(launch_file, graph, flexible):
    launched = launch_file("mujoco", flexible=flexible, speed_factor="0.5", headless="true")
    nodes = {node.kwargs["executable"]: node for node in launched.of("Node")}
    _, file = nodes["ros2_control_node"].kwargs["parameters"]
    settings = yaml.safe_load(Path(file).read_text())
    *names, option, same_file = nodes["spawner"].kwargs["arguments"]
    assert {f"/**/{name}" for name in names} == set(settings) - {"/**/controller_manager"}
    assert (option, same_file) == ("--param-file", file)
    commanded = settings["/**/forward_command_controller"]["ros__parameters"]["joints"]
    assert commanded[0] == ("panda_joint1_motor" if flexible == "true" else "panda_joint1")
    (parameters,) = nodes["robot_state_publisher"].kwargs["parameters"]
    description = ElementTree.fromstring(parameters["robot_description"].args[0])
    given = {each.get("name"): each.text for each in description.iter("param")}
    assert (given["headless"], given["sim_speed_factor"]) == ("true", "0.5")
    assert Path(given["mujoco_model"]).parent == Path(file).parent
    assert mujoco.MjModel.from_xml_path(given["mujoco_model"]).nu == 7
    made = graph("suite", launched.lines["suite"])
    made.nodes["impact_qp"].trigger_configure()
    assert "/forward_command_controller/commands" in made.topics("impact_qp")[1]
    inputs, _ = made.topics("impact_detector")
    assert inputs >= {"/joint_states", "/wall_force_broadcaster/wrench"}
    normal = made.nodes["impact_detector"].get_parameter("wrench_normal").value
    assert list(normal) == [1.0, 0.0, 0.0], "the force on the wall points away from the robot"


def test_gazebos_nodes_agree_about_controllers_topics_and_files(launch_file, graph):
    launched = launch_file("gazebo")
    nodes = {node.kwargs["executable"]: node for node in launched.of("Node")}
    *names, _, file = nodes["spawner"].kwargs["arguments"]
    settings = yaml.safe_load(Path(file).read_text())
    assert {f"/**/{name}" for name in names} == set(settings) - {"/**/controller_manager"}
    (parameters,) = nodes["robot_state_publisher"].kwargs["parameters"]
    root = ElementTree.fromstring(parameters["robot_description"].args[0])
    assert root.findtext("gazebo/plugin/parameters") == file
    world, _ = launched.of("IncludeLaunchDescription")
    path = Path(dict(world.kwargs["launch_arguments"])["gz_args"].split()[-1])
    topic = ElementTree.parse(path).findtext("world/model/joint/sensor/topic")
    bridged = {each.split("@")[0] for each in nodes["parameter_bridge"].kwargs["arguments"]}
    assert bridged == {"/clock", f"/{topic}"}
    made = graph("suite", launched.lines["suite"])
    made.nodes["impact_qp"].trigger_configure()
    assert "/forward_command_controller/commands" in made.topics("impact_qp")[1]
    assert made.topics("impact_detector")[0] >= {"/joint_states", f"/{topic}"}
    robot = made.nodes["impact_qp"]._guarded.controller.robot
    assert robot.apparent_motor_inertia.max() < 1e-5, "Gazebo has no motor inertia"


@pytest.mark.parametrize("interface", ["position", "velocity", "torque"])
def test_mock_hardwares_nodes_agree_about_controllers_interfaces_and_start(
    launch_file, graph, interface
):
    launched = launch_file("mock_hardware", interface=interface)
    nodes = {node.kwargs["executable"]: node for node in launched.of("Node")}
    (file,) = nodes["ros2_control_node"].kwargs["parameters"]
    settings = yaml.safe_load(Path(file).read_text())
    *names, _, same_file = nodes["spawner"].kwargs["arguments"]
    assert same_file == file
    assert {f"/**/{name}" for name in names} == set(settings) - {"/**/controller_manager"}
    command = settings["/**/forward_command_controller"]["ros__parameters"]
    (parameters,) = nodes["robot_state_publisher"].kwargs["parameters"]
    root = ElementTree.fromstring(parameters["robot_description"].args[0])
    control = root.find("ros2_control")
    assert control.findtext("hardware/plugin") == "mock_components/GenericSystem"
    taken = {each.get("name") for each in control.iterfind("joint/command_interface")}
    assert taken == {command["interface_name"]}
    assert [each.get("name") for each in control.iterfind("joint")] == command["joints"]
    assert len(list(control.iterfind("joint/state_interface/param"))) == 3 * len(command["joints"])
    made = graph("suite", launched.lines["suite"])
    controller = made.nodes["impact_qp"]
    controller.trigger_configure()
    assert "/forward_command_controller/commands" in made.topics("impact_qp")[1]
    assert controller.get_parameter("interface").value == interface
    own = controller._guarded.controller
    assert own.plan.interface == interface and own.plan.impact_limits == "robust"
    starts = [
        float(each.findtext("param"))
        for each in control.iterfind("joint/state_interface[@name='position']")
    ]
    gap = own.plan.contact.gap(ArmDynamics(own.robot).position(np.array(starts)))
    assert gap == pytest.approx(load_scenario("qp_panda_demo").run_up)


@pytest.mark.parametrize("name", ["mujoco", "gazebo", "mock_hardware"])
def test_a_simulator_ends_when_its_controllers_do_not_start(launch_file, name):
    launched = launch_file(name)
    (node,) = (each for each in launched.of("Node") if each.kwargs["executable"] == "spawner")
    ended = node.kwargs["on_exit"]
    assert ended(SimpleNamespace(returncode=0), launched.context) is None
    action = ended(SimpleNamespace(returncode=1), launched.context)
    assert type(action).__name__ == "Shutdown"


@pytest.mark.parametrize("name", ["robot", "replay"])
def test_nothing_else_configures_anything(launch_file, name):
    launched = launch_file(name)
    assert "bring_up" not in launched.lines
    assert not launched.of("RegisterEventHandler")


@pytest.mark.parametrize("name", OF_THE_SUITE)
def test_only_this_machine_hears_unless_asked(launch_file, name, monkeypatch):
    def set_range(**given):
        launched = launch_file(name, **given)
        index = [type(action).__name__ for action in launched.actions]
        assert index[0] == "SetEnvironmentVariable", "before any process"
        key, value = launched.actions[0].args
        assert key == "ROS_AUTOMATIC_DISCOVERY_RANGE"
        return value if isinstance(value, str) else value.perform(launched.context)

    monkeypatch.delenv("ROS_AUTOMATIC_DISCOVERY_RANGE", raising=False)
    assert set_range() == "LOCALHOST"
    assert set_range(discovery_range="SUBNET") == "SUBNET"
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "OFF")
    assert set_range() == "OFF"


@pytest.mark.parametrize("name", WITH_RVIZ)
def test_rviz_comes_when_asked(launch_file, name):
    launched = launch_file(name, rviz="true")
    *others, included = launched.of("IncludeLaunchDescription")
    assert [each.args[0].perform(launched.context) for each in others] == (
        [str(ROOT / "launch" / "gz_sim.launch.py")] if name == "gazebo" else []
    )
    assert included.args[0].perform(launched.context).endswith("launch/rviz.launch.py")
    assert (ROOT / "launch" / "rviz.launch.py").exists()
    assert included.kwargs["condition"].args[0].args == ("rviz",)
    assert launched.arguments["rviz"].default == "false"
    known = set(launch_file("rviz").arguments)
    assert set(dict(included.kwargs.get("launch_arguments", ()))) <= known
    assert known & set(launched.arguments) >= {"namespace"}


@pytest.mark.parametrize("name", ["robot", "replay"])
def test_rviz_shows_the_robot_of_arguments_task_or_parameter_file(launch_file, name, tmp_path):
    file = tmp_path / "own.yaml"
    node = "impact_qp" if name == "robot" else "impact_predictor"
    file.write_text(f"/**/{node}:\n  ros__parameters: {{robot: fr3, joint_prefix: fr3_}}\n")
    urdf = tmp_path / "fr3.urdf"
    urdf.write_text((ROOT / "impact_robots" / "panda.urdf").read_text().replace("panda_", "fr3_"))
    own = {"parameters": str(file), "rviz": "true"}
    (shown,) = launch_file(name, urdf=str(urdf), **own).of("IncludeLaunchDescription")
    given = dict(shown.kwargs["launch_arguments"])
    assert given["robot"] == "fr3" and given["joint_prefix"] == "fr3_"
    _, rviz = launch_file("rviz", **given).of("Node")
    assert rviz.kwargs["arguments"][-2:] == ["-f", "fr3_link0"]
    launched = launch_file(name, **own)  # without a URDF
    assert not launched.of("IncludeLaunchDescription") and launched.of("Node")
    (line,) = launched.of("LogInfo")
    assert line.kwargs["msg"].startswith("no RViz: robot 'fr3' ships without a URDF")


def test_unknown_arguments_of_the_command_line_are_named(launch_file, monkeypatch):
    typed = ["paramters:=own.yaml", "speed:=0.02", "urdf:=fr3.urdf"]
    monkeypatch.setattr("sys.argv", ["ros2", "launch", "impact_control", "robot.launch.py", *typed])
    lines = [each.kwargs["msg"] for each in launch_file("robot").of("LogInfo")]
    assert lines[0] == "[WARN] launch argument paramters: unknown, did you mean parameters?"
    assert lines[1].startswith("[WARN] launch argument speed: unknown, ") and len(lines) == 2
    assert not launch_file("rviz").of("LogInfo")  # as if included by that file


def test_rviz_shows_one_arm(launch_file):
    push = launch_file("robot", task="rs_push_catfood_case2", rviz="true")
    (shown,) = push.of("IncludeLaunchDescription")
    assert dict(shown.kwargs["launch_arguments"])["robot"] == "panda_plate"
    for task in ("rs_grab_safe", "qp_hrp4_grab_heavy"):
        launched = launch_file("robot", task=task, rviz="true")
        assert not launched.of("IncludeLaunchDescription")
        (line,) = launched.of("LogInfo")
        assert line.kwargs["msg"].startswith("no RViz: it shows one arm")


PUSH, GRAB, BODY = "rs_push_catfood_case2", "rs_grab_safe", "qp_hrp4_grab_heavy"
OF_A_DRIVER = ("joint_states", "desired_joint_states", "wrench", "commands")


@pytest.mark.parametrize(
    ("task", "names"),
    [
        ("", ["cell"]),
        (PUSH, ["robot", "urdf", "joint_prefix"]),
        (GRAB, ["robot", "urdf", "joint_prefix", *OF_A_DRIVER]),
        (BODY, ["robot", "urdf", "joint_prefix", *OF_A_DRIVER]),
    ],
)
def test_an_argument_without_effect_is_refused(launch_file, task, names):
    where = f"with task {task}" if task else "without a task"
    for name in names:
        with pytest.raises(RosError, match=f"^{name}:=mine: has no effect {where}, expected none$"):
            launch_file("robot", task=task, **{name: "mine"})
    if task == PUSH:
        launch_file("robot", task=task, **dict.fromkeys(OF_A_DRIVER, "mine"))


def test_rviz_sees_the_robots_frames_in_any_namespace(launch_file):
    launched = launch_file("rviz", robot="panda", namespace="left", wrench="sensor/wrench")
    publisher, rviz = launched.of("Node")
    (parameters,) = publisher.kwargs["parameters"]
    assert "panda_link7" in parameters["robot_description"].args[0]
    assert rviz.kwargs["arguments"][-2:] == ["-f", "panda_link0"]
    shown = set(re.findall(r"Value: (/\S+)", (ROOT / "rviz" / "impact.rviz").read_text()))
    assert {source for source, _ in rviz.kwargs["remappings"]} == shown
    assert not any(target.startswith("/") for _, target in rviz.kwargs["remappings"])


def test_the_robots_topics_are_remapped(launch_file, graph):
    launched = launch_file(
        "robot",
        joint_states="driver/measured",
        desired_joint_states="/driver/desired",
        wrench="sensor/wrench",
        commands="forward_command_controller/commands",
        namespace="left",
    )
    made = graph("suite", launched.lines["suite"] + SURFACE + COMPARES)
    made.nodes["impact_qp"].trigger_configure()
    inputs, outputs = made.topics("impact_qp")
    assert inputs >= {"/left/driver/measured", "/left/impact_detector/status"}
    assert "/left/forward_command_controller/commands" in outputs
    assert "/left/impact_qp/desired_joint_states" in outputs
    inputs, _ = made.topics("impact_detector")
    assert inputs >= {"/left/driver/measured", "/driver/desired", "/left/sensor/wrench"}
    inputs, _ = made.topics("impact_predictor")
    assert "/left/driver/measured" in inputs


def test_the_service_of_the_page_hears_the_arms_states_and_references(graph, shipped_as):
    page = (ROOT / "doc" / "robot.md").read_text()
    (line,) = re.findall(r"^ExecStart=.*?/suite\" (.*?)'$", page, re.DOTALL | re.MULTILINE)
    line = line.replace("/home/robot/my_fr3.yaml", str(ROOT / "config" / "franka_fr3.yaml"))
    line = line.replace("/home/robot/fr3.urdf", str(shipped_as("fr3_")))
    made = graph("suite", line.replace("\\\n", " ").split() + SURFACE + COMPARES)
    made.nodes["impact_qp"].trigger_configure()
    driver = "/franka_robot_state_broadcaster"
    inputs, _ = made.topics("impact_detector")
    assert inputs >= {f"{driver}/measured_joint_states", f"{driver}/desired_joint_states"}
    _, outputs = made.topics("impact_qp")
    assert outputs >= {"/forward_command_controller/commands", "/impact_qp/desired_joint_states"}


def test_without_arguments_the_suite_hears_its_own_desired_states(launch_file, graph):
    made = graph("suite", launch_file("robot").lines["suite"] + SURFACE + COMPARES)
    made.nodes["impact_qp"].trigger_configure()
    assert "/impact_qp/desired_joint_states" in made.topics("impact_detector")[0]
    assert "/impact_qp/desired_joint_states" in made.topics("impact_qp")[1]
    assert "/impact_qp/commands" in made.topics("impact_qp")[1]


def test_a_recordings_topics_are_remapped(launch_file, graph):
    lines = launch_file(
        "replay", joint_states="a", desired_joint_states="b", wrench="c", wrench_batch="d"
    ).lines
    detector = graph("impact_detector", lines["impact_detector"] + COMPARES)
    assert detector.topics("impact_detector")[0] >= {"/a", "/b", "/c", "/d"}
    predictor = graph("impact_predictor", lines["impact_predictor"])
    assert "/a" in predictor.topics("impact_predictor")[0]


def test_a_recordings_surface_and_reference_are_the_detectors(launch_file, graph):
    lines = launch_file(
        "replay", contact_normal="[0.0, 0.0, 1.0]", wrench_normal="[0, 1, 0]", reference="model"
    ).lines
    (detector,) = graph("impact_detector", lines["impact_detector"]).nodes.values()
    assert detector.get_parameter("contact_normal").value == [0.0, 0.0, 1.0]
    assert list(detector.get_parameter("wrench_normal").value) == [0.0, 1.0, 0.0]
    assert detector.get_parameter("reference").value == "model"


def test_clocks_follow_the_recording_when_asked(launch_file, graph):
    for given in ("true", "false"):
        for executable, line in launch_file("replay", use_sim_time=given).lines.items():
            (node,) = graph(executable, line).nodes.values()
            assert node.get_parameter("use_sim_time").value == (given == "true")


@pytest.mark.parametrize("name", ["robot", "replay"])
def test_an_argument_wins_over_the_parameter_file(launch_file, graph, name, shipped_as):
    urdf = shipped_as("arm_")
    lines = launch_file(name, robot="panda", urdf=str(urdf), joint_prefix="arm_").lines
    for executable, line in lines.items():
        for node in graph(executable, line).nodes.values():
            assert node.get_parameter("joint_prefix").value == "arm_"
            assert node.get_parameter("urdf").value == str(urdf)


@pytest.mark.parametrize(
    ("interface", "topic"),
    [
        ("velocity", "commands"),
        ("position", "commands"),
        ("twist", "twist"),
        ("trajectory", "trajectory"),
    ],
)
def test_the_governor_sends_what_the_parameter_file_says(
    launch_file, graph, tmp_path, interface, topic
):
    """It was set to velocities, whatever the file said, and a driver of positions got zeros."""
    given = {"robot": "panda", "interface": interface}
    file = tmp_path / "arm.yaml"
    file.write_text(yaml.safe_dump({"/**/impact_governor": {"ros__parameters": given}}))
    launched = launch_file("governor", parameters=str(file), commands="driver", commands_in="mine")
    (arguments,) = launched.lines.values()
    made = graph("impact_governor", arguments)
    node = made.nodes["impact_governor"]
    assert node.get_parameter("interface").value == interface
    assert node.trigger_configure() == TransitionCallbackReturn.SUCCESS
    heard, sent = made.topics("impact_governor")
    assert "/mine" in heard and "/driver" in sent
    assert not any(name.endswith(f"/{topic}") for name in sent)
