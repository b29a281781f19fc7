# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Parameter files: the nodes know every name in them, and they are safe to start from."""

import math
from pathlib import Path

import pytest
import yaml

pytest.importorskip("rclpy")

from rclpy.context import Context
from rclpy.lifecycle import TransitionCallbackReturn

from impact_detector.node import DetectorNode
from impact_predictor.node import PredictorNode
from impact_qp.node import ImpactQpNode
from impact_qp.parameters import ControllerParameters
from impact_ros.node.closing import close
from impact_ros.parameters import specifications
from impact_sim.scenarios import load_scenario

CONFIG = Path(__file__).resolve().parents[2] / "config"
# not of the suite's nodes
OF_OTHERS = {"controllers.yaml", "panda_gazebo.yaml", "franka.yaml", "franka_fake.yaml"}
FILES = sorted(
    (path for path in CONFIG.glob("*.yaml") if path.name not in OF_OTHERS),
    key=lambda path: path.name,
)
CLASSES = {
    "impact_detector": DetectorNode,
    "impact_predictor": PredictorNode,
    "impact_qp": ImpactQpNode,
}
FOR_SIMULATION = {"lockstep"}  # not for robots, so not in the files
SURFACE = ["-p", "contact_point:=[0.5, 0.0, 0.4]", "-p", "contact_normal:=[-1.0, 0.0, 0.0]"]


@pytest.fixture
def suite():
    """Return a function that makes the suite's nodes from a parameter file, by name."""
    started = []

    def start(path, *arguments, namespace=""):
        context = Context()
        context.init(args=["--ros-args", "--params-file", str(path), *arguments])
        nodes = [make(context=context, namespace=namespace) for make in CLASSES.values()]
        started.append((context, nodes))
        return {node.get_name(): node for node in nodes}

    yield start
    for context, nodes in started:
        close(*nodes, context=context)


def entries(path):
    """Return the parameters in a file, by node."""
    content = yaml.safe_load(path.read_text())
    assert all(name.startswith("/**/") for name in content), "works in one namespace only"
    return {name.removeprefix("/**/"): each["ros__parameters"] for name, each in content.items()}


def same(first, second):
    """Compare values, NaN being equal to NaN and a list to a tuple."""
    if isinstance(first, (list, tuple)):
        return len(first) == len(second) and all(map(same, first, second))
    return first == second or (math.isnan(first) and math.isnan(second))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@pytest.mark.parametrize("namespace", ["", "left"])
def test_nodes_start_with_the_file_and_know_all_of_it(suite, path, namespace, shipped_as, capfd):
    urdf = shipped_as("fr3_" if "fr3" in path.stem else "panda_")
    nodes = suite(path, "-p", f"urdf:={urdf}", namespace=namespace)
    assert set(entries(path)) == set(nodes)
    for name, given in entries(path).items():
        assert set(given) <= set(nodes[name]._parameter_overrides)
        for parameter, value in given.items():
            if parameter != "urdf" and value != []:  # rclpy declares an empty list's type alone
                got = nodes[name].get_parameter(parameter).value
                assert same(value, got), parameter
    assert "WARN" not in capfd.readouterr().err


def test_a_misspelt_name_is_warned_about(suite, tmp_path, capfd):
    path = tmp_path / "misspelt.yaml"
    path.write_text("/**/impact_qp: {ros__parameters: {speed_capp: 0.1}}\n")
    suite(path)
    assert "speed_capp: unknown, did you mean speed_cap?" in capfd.readouterr().err


def test_the_suites_file_holds_every_parameter_at_its_default():
    given = entries(CONFIG / "suite.yaml")
    for name, node_class in CLASSES.items():
        known = specifications(node_class.PARAMETERS)
        assert set(given[name]) == set(known) - FOR_SIMULATION
        for parameter, value in given[name].items():
            assert same(known[parameter].convert(value), known[parameter].default), parameter


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_file_lets_a_robot_move_fast_or_unasked(suite, path, shipped_as):
    assert entries(path)["impact_qp"]["speed_cap"] == 0.1
    limits = "robust" if path.stem == "franka_fr3" else "auto"
    assert entries(path)["impact_qp"]["impact_limits"] == limits
    urdf = shipped_as("fr3_" if "fr3" in path.stem else "panda_")
    controller = suite(path, "-p", f"urdf:={urdf}")["impact_qp"]
    assert controller.trigger_configure() == TransitionCallbackReturn.FAILURE  # no surface


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_surface_is_all_that_is_missing(suite, path, shipped_as, capfd):
    urdf = shipped_as("fr3_" if "fr3" in path.stem else "panda_")
    controller = suite(path, "-p", f"urdf:={urdf}", "-p", "speed:=0.4", *SURFACE)["impact_qp"]
    assert controller.trigger_configure() == TransitionCallbackReturn.SUCCESS
    assert "capped at 0.1 m/s" in capfd.readouterr().err


def test_the_fr3s_desired_torques_lack_gravity(suite, shipped_as):
    urdf = shipped_as("fr3_")
    nodes = suite(CONFIG / "franka_fr3.yaml", "-p", f"urdf:={urdf}", *SURFACE)
    assert nodes["impact_detector"].get_parameter("reference_excludes_gravity").value
    controller = nodes["impact_qp"]
    assert controller.get_parameter("interface").value == "torque"
    controller.trigger_configure()
    assert controller._guarded.controller.robot.driver_compensates_gravity


def test_the_fit_ends_before_the_arm_is_commanded_again():
    given = entries(CONFIG / "suite.yaml")
    assert given["impact_detector"]["estimate_window"] <= ControllerParameters().coast_time
    assert load_scenario("qp_panda_demo").impact_duration == given["impact_qp"]["impact_duration"]
