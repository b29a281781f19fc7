# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Parameters: conversion and documentation without ROS, declaration on real nodes."""

import math
from collections.abc import Mapping
from dataclasses import FrozenInstanceError, dataclass

import numpy as np
import pytest

from impact_ros.parameters import (
    ParameterError,
    declare,
    describe,
    from_values,
    parameter,
    parameters_of,
    specifications,
)
from impact_ros.specification import Specification, misspelt


@dataclass(frozen=True)
class Example:
    """Parameters of an example node."""

    threshold: float = parameter(2.5, "Statistic of an impact.", unit="N.m", low=0.0, high=100.0)
    speed: float = parameter(math.nan, "Speed.", unit="m/s", low=0.0, read_only=False)
    samples: int = parameter(50, "Samples of the bias.", low=1)
    robot: str = parameter("panda", "Robot.", choices=["panda", "fr3"])
    gravity: bool = parameter(True, "Torques include gravity.")
    joints: tuple[str, ...] = parameter((), "Joints watched.")
    gains: tuple[float, ...] = parameter((1.0, 2.0), "Gains.", low=0.0)


def test_defaults_need_no_values():
    example = from_values(Example, {})
    assert example.gains == (1.0, 2.0)
    assert math.isnan(example.speed)
    with pytest.raises(FrozenInstanceError):
        example.threshold = 1.0


def test_an_integer_does_for_a_number_but_not_the_reverse():
    assert from_values(Example, {"threshold": 3}).threshold == 3.0
    assert type(from_values(Example, {"threshold": 3}).threshold) is float
    assert from_values(Example, {"gains": [1, 2.5]}).gains == (1.0, 2.5)
    with pytest.raises(ParameterError, match=r"parameter samples: expected an integer of at least"):
        from_values(Example, {"samples": 3.0})


def test_a_numpy_number_is_a_number():
    values = {"threshold": np.float64(0.279), "samples": np.int64(3), "gravity": np.bool_(False)}
    example = from_values(Example, values | {"gains": np.array([0.5, 2.0])})
    assert (example.threshold, example.samples, example.gravity) == (0.279, 3, False)
    assert example.gains == (0.5, 2.0)
    assert type(example.threshold) is float and type(example.samples) is int
    with pytest.raises(ParameterError, match="threshold: expected a number from 0 to 100"):
        from_values(Example, {"threshold": np.float64(np.nan)})
    with pytest.raises(ParameterError, match="threshold: expected a number from 0 to 100"):
        from_values(Example, {"threshold": 10**400})


@pytest.mark.parametrize(
    ("values", "line"),
    [
        (
            {"threshold": -1.0},
            "parameter threshold: expected a number from 0 to 100 [N.m], got -1.0",
        ),
        (
            {"threshold": math.nan},
            "parameter threshold: expected a number from 0 to 100 [N.m], got nan",
        ),
        (
            {"threshold": True},
            "parameter threshold: expected a number from 0 to 100 [N.m], got True",
        ),
        ({"robot": "ur5"}, "parameter robot: expected one of panda, fr3, got 'ur5'"),
        ({"gravity": 1}, "parameter gravity: expected true or false, got 1"),
        (
            {"joints": "joint1"},
            "parameter joints: expected a list, each element a text, got 'joint1'",
        ),
        (
            {"gains": [1.0, -1.0]},
            "parameter gains: expected a list, each element a number of at "
            "least 0, got [1.0, -1.0]",
        ),
        ({"treshold": 1.0}, "parameter treshold: unknown, did you mean threshold?"),
    ],
)
def test_a_bad_value_gets_one_clear_line(values, line):
    with pytest.raises(ParameterError) as caught:
        from_values(Example, values)
    assert str(caught.value) == line


def test_nan_is_unknown_only_where_it_is_the_default():
    assert math.isnan(from_values(Example, {"speed": math.nan}).speed)
    with pytest.raises(ParameterError, match="got inf"):
        from_values(Example, {"speed": math.inf})


def test_a_default_that_breaks_its_own_range_is_a_programming_error():
    @dataclass(frozen=True)
    class Wrong:
        threshold: float = parameter(-1.0, "Never.", low=0.0)

    with pytest.raises(TypeError, match="default of parameter threshold"):
        specifications(Wrong)


def test_the_table_names_every_parameter_with_unit_range_and_default():
    lines = describe(Example).splitlines()
    assert len(lines) == 2 + 7
    assert lines[2] == (
        "| `threshold` | double | `2.5` | 0 .. 100 | N.m | Statistic of an impact. |"
    )
    assert lines[3].endswith("| m/s | Speed. Can be changed at run time. |")
    assert "`.nan`" in lines[3]
    assert "| string[] | `[]` |" in lines[7]


def test_names_of_rclpy_itself_are_not_misspelt():
    assert misspelt(["use_sim_time", "qos_overrides./x.publisher.depth"], ["threshold"]) == []


@pytest.fixture
def make_node():
    """Make nodes as a command line would, each in its own context."""
    rclpy = pytest.importorskip("rclpy")
    from rclpy.node import Node

    from impact_ros.node.closing import close

    contexts, nodes = [], []

    def make(*arguments, kind=None):
        context = rclpy.Context()
        rclpy.init(args=["--ros-args", *arguments], context=context)
        contexts.append(context)
        nodes.append((kind or Node)("example", context=context))
        return nodes[-1]

    yield make
    for node in nodes:
        close(node, context=node.context)
    for context in contexts:
        context.try_shutdown()


def test_declared_with_descriptors(make_node):
    node = make_node()
    assert declare(node, Example).threshold == 2.5
    descriptor = node.describe_parameter("threshold")
    assert descriptor.read_only
    assert descriptor.description == "Statistic of an impact. Unit: N.m."
    assert descriptor.floating_point_range[0].to_value == 100.0
    assert math.isnan(node.get_parameter("speed").value)
    assert node.describe_parameter("joints").type == 9  # PARAMETER_STRING_ARRAY, though empty


def test_overrides_from_the_command_line(make_node):
    node = make_node(
        *("-p", "threshold:=3"),
        *("-p", "gains:=[1, 2]"),
        *("-p", "joints:=[joint5, joint6]"),
        *("-p", "gravity:=false"),
        *("-p", "speed:=.nan"),
    )
    example = declare(node, Example)
    assert (example.threshold, example.gains) == (3.0, (1.0, 2.0))
    assert example.joints == ("joint5", "joint6")
    assert example.gravity is False
    assert node.get_parameter("threshold").value == 3.0
    assert list(node.get_parameter("gains").value) == [1.0, 2.0]


def test_an_empty_list_can_be_given(make_node):
    node = make_node("-p", "gains:=[]")
    assert declare(node, Example).gains == ()


def test_a_bad_override_raises_before_anything_is_declared(make_node):
    node = make_node("-p", "robot:=ur5")
    with pytest.raises(ParameterError, match="expected one of panda, fr3, got 'ur5'"):
        declare(node, Example)
    assert not node.has_parameter("threshold")


def test_a_misspelt_override_is_warned_about(make_node, monkeypatch):
    node = make_node("-p", "treshold:=3.0")
    warnings = []
    logger = node.get_logger()
    monkeypatch.setattr(logger, "warning", warnings.append)
    monkeypatch.setattr(node, "get_logger", lambda: logger)
    assert declare(node, Example).threshold == 2.5
    assert warnings == ["parameter treshold: unknown, did you mean threshold?"]


def test_run_time_changes_are_checked(make_node):
    from rclpy.parameter import Parameter

    node = make_node()
    declare(node, Example)
    good, bad, fixed = node.set_parameters(
        [
            Parameter("speed", value=0.2),
            Parameter("speed", value=-1.0),
            Parameter("threshold", value=1.0),
        ]
    )
    assert good.successful
    assert not bad.successful
    assert bad.reason == "parameter speed: expected a number of at least 0 [m/s], got -1.0"
    assert not fixed.successful


def test_a_lifecycle_node_declares_alike(make_node):
    lifecycle = pytest.importorskip("rclpy.lifecycle")
    node = make_node("-p", "threshold:=1", kind=lifecycle.LifecycleNode)
    assert declare(node, Example).threshold == 1.0


LEVELS = ["low", "high"]


@dataclass(frozen=True)
class Growing:
    """Parameters some of which are known only when they are asked for."""

    level: str = parameter("low", "Level.", choices=LEVELS)
    gains: Mapping[str, float] = parameters_of(lambda: [gain(name) for name in LEVELS])


def gain(name):
    return Specification(f"{name}_gain", float, False, 1.0, description=f"At {name}.", low=0.0)


def test_members_that_come_later_are_parameters_too():
    assert list(specifications(Growing)) == ["level", "low_gain", "high_gain"]
    with pytest.raises(ParameterError, match="level: expected one of low, high, got 'top'"):
        from_values(Growing, {"level": "top"})
    LEVELS.append("top")
    try:
        made = from_values(Growing, {"level": "top", "top_gain": 3})
        assert (made.level, made.gains) == ("top", {"top_gain": 3.0})
        assert "| `top_gain` | double | `1.0` | >= 0 |" in describe(Growing)
        with pytest.raises(ParameterError, match="top_gain: expected a number of at least 0"):
            from_values(Growing, {"top_gain": -1.0})
    finally:
        LEVELS.remove("top")
