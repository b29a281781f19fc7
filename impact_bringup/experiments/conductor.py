# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Connects a plant in this process with nodes of another process, and monitors both."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Set
from pathlib import Path
from typing import Any, Generic, TypeVar

import rclpy
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.signals import SignalHandlerOptions

from impact_bags.writing.writer import Tap
from impact_bringup.experiments.recorder import Recorder
from impact_bringup.lifecycle import LifecycleClient
from impact_ros.exceptions import RosError
from impact_ros.node.closing import one_core
from impact_ros.node.security import require_security
from impact_ros.node.spin import Stop, spin

STARTUP_TIMEOUT = 30.0  # for nodes to start, be discovered and change their state [s]
SETTLE_TIME = 0.3  # for the recorder to receive the first and the last messages [s]


class ExperimentError(RosError):
    """An experiment was not completed; the text gives the reason."""


def make_folder(folder: Path) -> None:
    """Make the folder of a run."""
    try:
        folder.mkdir(parents=True)
    except OSError as error:
        raise ExperimentError(f"cannot make the folder {folder}: {error.strerror}") from None


@contextlib.contextmanager
def ros_session() -> Iterator[None]:
    """Run ROS without its signal handlers."""
    require_security(os.environ)
    rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
    try:
        yield
    finally:
        rclpy.try_shutdown()


Plant = TypeVar("Plant", bound=Node)


@contextlib.contextmanager
def plant_and_recorder(
    kind: Callable[..., Plant], parameters: Mapping[str, Any], bag: Path, tap: Tap | None
) -> Iterator[tuple[Plant, Recorder]]:
    """Make a plant's node with parameters, and what records all topics into a bag."""
    overrides = [Parameter(name, value=value) for name, value in parameters.items()]
    plant = kind(parameter_overrides=overrides)
    try:
        recorder = Recorder(bag)
        recorder.writer.tap = tap
        try:
            yield plant, recorder
        finally:
            recorder.destroy_node()
    finally:
        with one_core():
            plant.destroy_node()


class NodeConductor(Generic[Plant]):
    """Monitors a plant and another process until the plant has finished.

    Attributes:
        RECORDED: topics that must be recorded.
        LISTENERS: required number of subscribers to the plant's states.
    """

    RECORDED: Set[str] = frozenset()
    LISTENERS = 0

    def __init__(
        self,
        plant: Plant,
        recorder: Recorder,
        other: tuple[str, subprocess.Popen[bytes], Path],
        stop: Stop,
    ) -> None:
        """Watch nodes of this process, and another one: its name, itself and its log."""
        name, process, self._log = other
        self._plant, self._recorder, self._stop = plant, recorder, stop
        self._processes = {name: (process, self._log)}

    def _client(self, name: str) -> LifecycleClient:
        """Return the client that changes the state of a lifecycle node."""
        return LifecycleClient(
            self._plant, name, lambda done, limit: self._spin(done, limit) == "condition"
        )

    def _conduct(self, name: str, *, flowing: bool = False) -> None:
        """Configure and activate a lifecycle node, run the plant to its end, deactivate the node.

        Args:
            name: of the node.
            flowing: as on a robot, states are published before the controller is activated.
        """
        controller = self._client(name)
        self._wait("the controller to start", controller.ready)
        self._request(controller, "configure")
        self._wait("the nodes to find each other", self._connected)
        spin([self._plant, self._recorder], timeout=SETTLE_TIME, stop=self._stop)
        if flowing:
            self._plant.start()
        self._request(controller, "activate")
        if not flowing:
            self._plant.start()
        self._spin(lambda: self._plant.finished, timeout=None)
        if self._plant.failure:
            raise ExperimentError(self._plant.failure)
        self._request(controller, "deactivate")
        spin([self._plant, self._recorder], timeout=SETTLE_TIME, stop=self._stop)

    def _connected(self) -> bool:
        """Return whether every state, detection status and command has its subscriber."""
        recorded = {
            subscription.topic_name
            for subscription in self._recorder.subscriptions
            if subscription.get_publisher_count() > 0
        }
        return recorded >= self.RECORDED and self._plant.peers >= self.LISTENERS

    def _request(self, controller: LifecycleClient, change: str) -> None:
        """Change the controller's state."""
        try:
            controller.request(change)
        except ExperimentError:
            raise
        except RosError as error:
            raise ExperimentError(f"{error}{self._log_hint()}") from None

    def _wait(self, what: str, condition: Callable[[], bool]) -> None:
        if self._spin(condition, timeout=STARTUP_TIMEOUT) == "timeout":
            raise ExperimentError(f"waited {STARTUP_TIMEOUT:.0f} s for {what}{self._log_hint()}")

    def _look(self) -> None:
        """Report the progress; called repeatedly."""

    def _spin(self, condition: Callable[[], bool], timeout: float | None) -> str:
        """Spin the nodes until the condition holds; fail when the suite dies."""

        def over() -> bool:
            self._look()
            return condition() or bool(self._dead())

        nodes: list[Node] = [self._plant, self._recorder]
        reason = spin(nodes, until=over, timeout=timeout, stop=self._stop)
        if reason not in ("condition", "timeout"):
            raise KeyboardInterrupt
        for name in self._dead():
            process, log = self._processes[name]
            raise ExperimentError(f"{name} {_ending(process)}{_log_hint(log)}")
        return reason

    def _dead(self) -> list[str]:
        """Return which processes have ended."""
        return [name for name, (each, _) in self._processes.items() if each.poll() is not None]

    def _log_hint(self) -> str:
        """Return the last line of the suite's log and where the rest is."""
        return _log_hint(self._log)


def _log_hint(log: Path) -> str:
    """Return the last line of a log and where the rest is."""
    lines = log.read_text(errors="replace").strip().splitlines()
    return f" ({lines[-1].strip()}; log: {log})" if lines else f" (log: {log})"


def _ending(process: subprocess.Popen[bytes]) -> str:
    """Return a text about how a process ended."""
    status = process.poll()
    if status is not None and status < 0:
        return f"was killed by {signal.Signals(-status).name}"
    return f"ended with status {status}"
