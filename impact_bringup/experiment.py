# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One experiment over real DDS: the plant here, the suite in another process, all recorded."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import rclpy
import yaml
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.signals import SignalHandlerOptions

from impact_bags.new_files import write_file
from impact_bags.writer import Tap
from impact_bringup.child import child_process
from impact_bringup.domain import own_domain
from impact_bringup.lifecycle import LifecycleClient
from impact_bringup.recorder import Recorder
from impact_ros.closing import one_core
from impact_ros.exceptions import RosError
from impact_ros.security import require_security
from impact_ros.spin import Stop, spin, stop_on_signals
from impact_sim.node import ImpactSimNode
from impact_sim.scenarios import Scenario
from impact_sim.suite_settings import suite_settings

STARTUP_TIMEOUT = 30.0  # for the suite to start, be discovered and change its state [s]
SETTLE_TIME = 0.3  # for the recording to hear the first and the last messages [s]
SHARED_MACHINE_TIMEOUT = 0.2  # this is no real-time machine, and nothing can break [s]
LISTENERS = 4  # of the joint states: detector, predictor, controller, recorder
RECORDED = {
    "/joint_states",
    "/wrench",
    "/wrench_batch",
    "/impact_qp/command",
    "/impact_qp/desired_joint_states",
    "/impact_qp/announcement",
    "/impact_qp/status",
    "/impact_detector/status",
    "/impact_detector/impact",
    "/impact_detector/estimate",
}


Plant = TypeVar("Plant", bound=ImpactSimNode)


class ExperimentError(RosError):
    """An experiment did not come to its end; the text says why."""


@dataclass(frozen=True)
class Run:
    """How one experiment is run."""

    scenario: Scenario
    controller: str  # which impact limits: unaware, robust, existential, nominal
    folder: Path  # for the recording and the logs; must not exist
    seed: int = 0
    noise: bool = True
    realtime: bool = False
    duration: float = 10.0  # longest simulated time [s]
    progress: Callable[[float, float], None] = lambda time, gap: None  # simulated time [s], gap [m]
    tap: Tap | None = None  # gets what is recorded, as it is

    @property
    def bag(self) -> Path:
        """The recording."""
        return self.folder / "bag"


@dataclass(frozen=True)
class RunReport:
    """What the plant's side knows at the end."""

    simulated_seconds: float
    missed_cycles: int  # against the wall clock; 0 in lockstep


def run_experiment(run: Run) -> RunReport:
    """Run one experiment from start to recording.

    Raises:
        ExperimentError: The suite did not start, died or fell silent.
        KeyboardInterrupt: Interrupted; the recording so far is finished.
    """
    make_folder(run.folder)
    settings = run.folder / "parameters.yaml"
    write_file(settings, yaml.safe_dump(suite_parameters(run), sort_keys=False))
    log = run.folder / "suite.log"
    arguments = ["--ros-args", "--params-file", str(settings)]
    with (
        own_domain(),
        stop_on_signals() as stop,
        ros_session(),
        experiment_nodes(run) as (plant, recorder),
        child_process("impact_bringup.suite", arguments, log) as suite,
    ):
        return Conductor(run, plant, recorder, suite, log, stop).perform()


def make_folder(folder: Path) -> None:
    """Make the folder of a run."""
    try:
        folder.mkdir(parents=True)
    except OSError as error:
        raise ExperimentError(f"cannot make the folder {folder}: {error.strerror}") from None


def suite_parameters(run: Run) -> dict[str, Any]:
    """Return the parameters of the suite's nodes, as a ROS parameter file holds them."""
    values = suite_settings(run.scenario, run.controller, lockstep=not run.realtime)
    if run.realtime:
        values["impact_qp"]["state_timeout"] = SHARED_MACHINE_TIMEOUT
    return {node: {"ros__parameters": parameters} for node, parameters in values.items()}


@contextlib.contextmanager
def ros_session() -> Iterator[None]:
    """Run ROS without its signal handlers."""
    require_security(os.environ)
    rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
    try:
        yield
    finally:
        rclpy.try_shutdown()


@contextlib.contextmanager
def experiment_nodes(
    run: Run, kind: type[Plant] = ImpactSimNode, **more: Any
) -> Iterator[tuple[Plant, Recorder]]:
    """Make plant and recorder.

    Args:
        run: what is run.
        kind: of the plant.
        **more: parameters of the plant.
    """
    overrides = {
        "scenario": run.scenario.name,
        "seed": run.seed,
        "noise": run.noise,
        "realtime": run.realtime,
        "duration": run.duration,
        **more,
    }
    plant = kind(
        parameter_overrides=[Parameter(name, value=value) for name, value in overrides.items()]
    )
    try:
        recorder = Recorder(run.bag)
        recorder.writer.tap = run.tap
        try:
            yield plant, recorder
        finally:
            recorder.destroy_node()
    finally:
        with one_core():
            plant.destroy_node()


class Conductor:
    """Brings plant and suite together, and watches both."""

    def __init__(
        self,
        run: Run,
        plant: ImpactSimNode,
        recorder: Recorder,
        suite: subprocess.Popen[bytes],
        log: Path,
        stop: Stop,
    ) -> None:
        """Watch nodes of this process, and another one with its log, until a reason to stop."""
        self._run, self._plant, self._recorder = run, plant, recorder
        self._log, self._stop = log, stop
        self._processes = {"the suite": (suite, log)}

    def _client(self, name: str) -> LifecycleClient:
        """Return what changes the state of a lifecycle node."""
        return LifecycleClient(
            self._plant, name, lambda done, limit: self._spin(done, limit) == "condition"
        )

    def perform(self) -> RunReport:
        """Run the experiment."""
        controller = self._client("impact_qp")
        self._wait("the controller to start", controller.ready)
        self._request(controller, "configure")
        self._wait("everybody to find each other", self._connected)
        spin([self._plant, self._recorder], timeout=SETTLE_TIME, stop=self._stop)
        if self._run.realtime:  # as on a robot: the states flow when the controller is activated
            self._plant.start()
        self._request(controller, "activate")
        if not self._run.realtime:
            self._plant.start()
        self._spin(lambda: self._plant.finished, timeout=None)
        if self._plant.failure:
            raise ExperimentError(self._plant.failure)
        self._request(controller, "deactivate")
        spin([self._plant, self._recorder], timeout=SETTLE_TIME, stop=self._stop)
        return RunReport(self._plant.simulation.time_ns * 1e-9, self._plant.missed_cycles)

    def _connected(self) -> bool:
        """Tell whether every state, verdict and command has its listener."""
        recorded = {
            subscription.topic_name
            for subscription in self._recorder.subscriptions
            if subscription.get_publisher_count() > 0
        }
        return recorded >= RECORDED and self._plant.peers >= LISTENERS

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
        """Say how far it is; called now and then."""
        plant = self._plant
        self._run.progress(plant.simulation.time_ns * 1e-9, plant.simulation.plant.gap)

    def _spin(self, condition: Callable[[], bool], timeout: float | None) -> str:
        """Serve the nodes until the condition holds; fail when the suite dies."""

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
    """Say how a process ended."""
    status = process.poll()
    if status is not None and status < 0:
        return f"was killed by {signal.Signals(-status).name}"
    return f"ended with status {status}"
