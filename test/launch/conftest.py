# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Launch files read without launch: its classes are replaced by ones that only record.

Real launch and launch_ros are not on PyPI; `test_launch.py` uses them where they are installed.
"""

import importlib.util
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

PARTS = "impact_bringup.launch_parts"
SHARE = Path(__file__).resolve().parents[2]  # as laid out in the package's share folder


class Action:
    """What an action, an event handler or a description was made from."""

    def __init__(self, *args, **kwargs):
        self.args, self.kwargs = args, kwargs


class LaunchDescription(Action):
    pass


class DeclareLaunchArgument(Action):
    """As launch's: all but the name by keyword."""

    def __init__(self, name, *, default_value=None, description=None, choices=None):
        super().__init__()
        self.name, self.default, self.description = name, default_value, description
        self.choices = choices


class IfCondition(Action):
    pass


class IncludeLaunchDescription(Action):
    pass


class LogInfo(Action):
    pass


class OpaqueFunction(Action):
    pass


class RegisterEventHandler(Action):
    pass


class SetEnvironmentVariable(Action):
    pass


class Shutdown(Action):
    pass


class OnShutdown(Action):
    pass


class ParameterValue(Action):
    def perform(self, context):
        return str(perform(self.args[0], context))


class Node(Action):
    """As launch_ros's, which runs an executable of a package; parameters are a list or nothing."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        assert isinstance(kwargs.get("parameters", []), list)

    def command_line(self, context):
        """Return the ROS arguments that launch_ros would pass."""
        line = [perform(part, context) for part in self.kwargs.get("arguments", ())]
        line.append("--ros-args")
        if namespace := perform(self.kwargs.get("namespace", ""), context):
            line += ["-r", f"__ns:=/{namespace.lstrip('/')}"]
        line += [perform(part, context) for part in self.kwargs.get("ros_arguments", ())]
        for entry in self.kwargs.get("parameters", ()):
            if isinstance(entry, dict):
                for name, value in entry.items():
                    line += ["-p", f"{name}:={perform(value, context)}"]
            else:
                line += ["--params-file", perform(entry, context)]
        for source, target in self.kwargs.get("remappings", ()):
            line += ["-r", f"{source}:={perform(target, context)}"]
        return line


class LaunchConfiguration(Action):
    def perform(self, context):
        return context.launch_configurations[self.args[0]]


class EnvironmentVariable(Action):
    def perform(self, context):
        return os.environ.get(self.args[0], self.kwargs["default_value"])


class PathJoinSubstitution(Action):
    def perform(self, context):
        return str(Path(*(perform(part, context) for part in self.args[0])))


class ExecuteProcess(Action):
    def command_line(self, context):
        """Return the program and its arguments."""
        return [perform(part, context) for part in self.kwargs["cmd"]]


class ExecutableInPackage(Action):
    def perform(self, context):
        return self.args[0]


class FindPackageShare(Action):
    def perform(self, context):
        return str(SHARE)


def perform(value, context):
    """Return a text, or what a substitution or several in a row stand for."""
    if isinstance(value, list):
        return "".join(perform(part, context) for part in value)
    return value if isinstance(value, str) else value.perform(context)


@dataclass
class Launched:
    """What a launch file does with some arguments."""

    arguments: dict  # DeclareLaunchArgument by name
    actions: list  # all others, in order
    context: SimpleNamespace

    def of(self, kind):
        """Return the actions of one class, by its name."""
        return [action for action in self.actions if type(action).__name__ == kind]

    @property
    def lines(self):
        """The suite's executables that it starts, each with its ROS arguments."""
        return {
            node.kwargs["executable"]: node.command_line(self.context)
            for node in self.of("Node")
            if node.kwargs["package"] == "impact_control"
        }


@pytest.fixture
def launch_file(monkeypatch, tmp_path):
    """Return a function that launches a file on paper: `launch_file(name, **arguments)`."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    parts = {
        "launch": [LaunchDescription],
        "launch.actions": [
            DeclareLaunchArgument,
            ExecuteProcess,
            IncludeLaunchDescription,
            LogInfo,
            OpaqueFunction,
            RegisterEventHandler,
            SetEnvironmentVariable,
            Shutdown,
        ],
        "launch.conditions": [IfCondition],
        "launch.event_handlers": [OnShutdown],
        "launch.substitutions": [EnvironmentVariable, LaunchConfiguration, PathJoinSubstitution],
        "launch_ros": [],
        "launch_ros.actions": [Node],
        "launch_ros.parameter_descriptions": [ParameterValue],
        "launch_ros.substitutions": [ExecutableInPackage, FindPackageShare],
    }
    for name, classes in parts.items():
        module = ModuleType(name)
        if name == "launch":
            module.actions = SimpleNamespace(
                **{each.__name__: each for each in parts[f"{name}.actions"]}
            )
        for each in classes:
            setattr(module, each.__name__, each)
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.delitem(sys.modules, PARTS, raising=False)
    yield _launch
    sys.modules.pop(PARTS, None)  # which has the stand-ins


def _launch(name, **given):
    spec = importlib.util.spec_from_file_location(
        name.replace(".", "_"), SHARE / "launch" / f"{name}.launch.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    entities = module.generate_launch_description().args[0]
    arguments = {each.name: each for each in entities if isinstance(each, DeclareLaunchArgument)}
    assert set(given) <= set(arguments)
    context = SimpleNamespace(launch_configurations={})
    for argument, declared in arguments.items():
        value = given.get(argument, perform(declared.default, context))
        assert declared.choices is None or value in declared.choices
        context.launch_configurations[argument] = value
    actions = []
    for each in entities:
        if isinstance(each, OpaqueFunction):
            actions += each.kwargs["function"](context)
        elif not isinstance(each, DeclareLaunchArgument):
            actions.append(each)
    return Launched(arguments, actions, context)


@pytest.fixture
def shipped_as(tmp_path):
    """Return a function that writes the Panda's URDF with another prefix of names."""

    def write(prefix):
        path = tmp_path / "arm.urdf"
        text = (SHARE / "impact_robots" / "panda.urdf").read_text()
        path.write_text(text.replace("panda_", prefix))
        return path

    return write
