# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The Franka node's parameter file: it is complete, and safe to start from."""

from pathlib import Path

import numpy as np
import pytest
import yaml

pytest.importorskip("rclpy")

from rclpy.context import Context
from rclpy.lifecycle import TransitionCallbackReturn

from impact_drivers.franka.node import FrankaNode
from impact_drivers.franka.parameters import FrankaParameters
from impact_robots import load_robot
from impact_ros.node.closing import close
from impact_ros.parameters import from_values, specifications

FILE = Path(__file__).resolve().parents[2] / "config" / "franka.yaml"


@pytest.fixture
def given():
    content = yaml.safe_load(FILE.read_text())
    assert set(content) == {"/**/franka", "/**/impact_predictor"}
    return content["/**/franka"]["ros__parameters"]


@pytest.fixture
def make_node():
    made = []

    def make(*arguments):
        context = Context()
        context.init(args=["--ros-args", "--params-file", str(FILE), *arguments])
        made.append((context, FrankaNode(context=context)))
        return made[-1][1]

    yield make
    for context, node in made:
        close(node, context=context)


def test_the_file_holds_every_parameter_at_its_default(given):
    known = specifications(FrankaParameters)
    assert set(given) == set(known)
    for name, value in given.items():
        default = known[name].default
        same = np.array_equal(value, default, equal_nan=not isinstance(default, str | tuple))
        assert same or np.isnan(default).all(), name


def test_nothing_moves_fast_or_unasked(given):
    settings = from_values(FrankaParameters, given)
    assert settings.speed_cap == 0.1 and not settings.goal_may_widen
    assert settings.impact_limits == "robust" and not settings.address
    assert settings.deadman <= 0.1 and settings.least_success_rate >= 0.95


def test_the_thresholds_and_the_load_are_those_of_the_robots_file(given, shipped_as):
    robot = load_robot("fr3", urdf=shipped_as("fr3_"))
    assert np.all(given["highest_torque_thresholds"] <= robot.limits.torque)
    settings = from_values(FrankaParameters, given)
    assert settings.raise_thresholds is False
    low = settings.low_thresholds
    assert low.torque.max() == 20.0 and low.force.max() == 25
    assert given["load_mass"] == 0.1, "of fr3.yaml's tool"


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ([], "address: expected that of the arm, got ''"),
        (["-p", "address:=fr3.local"], "contact_point: expected three finite numbers"),
    ],
)
def test_address_and_surface_must_be_said(make_node, shipped_as, arguments, line, capfd):
    node = make_node("-p", f"urdf:={shipped_as('fr3_')}", *arguments)
    assert node.trigger_configure() == TransitionCallbackReturn.FAILURE
    assert line in capfd.readouterr().err
