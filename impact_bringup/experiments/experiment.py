# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One experiment over real DDS: the plant here, the suite in another process, all recorded."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import yaml
from rosbags.typesys import Stores, get_typestore

from impact_bags.new_files import write_file
from impact_bags.reading.run_record import Run
from impact_bags.writing.scene import Scene
from impact_bringup.experiments.child import child_process
from impact_bringup.experiments.conductor import (
    NodeConductor,
    make_folder,
    plant_and_recorder,
    ros_session,
)
from impact_bringup.experiments.domain import own_domain
from impact_bringup.experiments.recorder import Recorder
from impact_robots.description.loader import load_robot
from impact_ros.messages import JointReader
from impact_ros.node.spin import Stop, stop_on_signals
from impact_sim.node import ImpactSimNode
from impact_sim.scenarios import Scenario
from impact_sim.suite_settings import suite_settings

SHARED_MACHINE_TIMEOUT = 0.2  # long: no real-time machine, and no hardware [s]
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


@dataclass(frozen=True)
class RunReport:
    """The result on the plant's side."""

    simulated_seconds: float
    missed_cycles: int  # against the wall clock; 0 in lockstep


def run_experiment(run: Run[Scenario]) -> RunReport:
    """Run one experiment from start to recording.

    Raises:
        ExperimentError: The suite did not start, died or stopped responding.
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


def suite_parameters(run: Run[Scenario]) -> dict[str, Any]:
    """Return the parameters of the suite's nodes, as a ROS parameter file holds them."""
    values = suite_settings(run.scenario, run.controller, lockstep=not run.realtime)
    if run.realtime:
        values["impact_qp"]["state_timeout"] = SHARED_MACHINE_TIMEOUT
    return {node: {"ros__parameters": parameters} for node, parameters in values.items()}


@contextlib.contextmanager
def experiment_nodes(
    run: Run[Scenario], kind: type[Plant] = ImpactSimNode, **more: Any
) -> Iterator[tuple[Plant, Recorder]]:
    """Make plant and recorder; the recording of a completed run contains its scene.

    Args:
        run: settings of the run.
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
    robot = load_robot(run.scenario.robot)
    scene, reader = Scene(robot, run.scenario.surface(robot)), JointReader(robot.joint_names)
    store = get_typestore(Stores.ROS2_KILTED)

    def tap(topic: str, type_name: str, cdr: bytes | memoryview, time: int) -> None:
        if topic == "/joint_states" and scene.is_due(time):
            q, dq, _ = reader.read(store.deserialize_cdr(cdr, type_name))
            scene.add(time, q, dq)
        if run.tap is not None:
            run.tap(topic, type_name, cdr, time)

    with plant_and_recorder(kind, overrides, run.bag, tap) as (plant, recorder):
        yield plant, recorder
        recorder.writer.tap = None
        scene.write(recorder.writer)


class Conductor(NodeConductor[ImpactSimNode]):
    """Connects plant and suite, and monitors both."""

    RECORDED, LISTENERS = RECORDED, LISTENERS

    def __init__(
        self,
        run: Run[Scenario],
        plant: ImpactSimNode,
        recorder: Recorder,
        suite: subprocess.Popen[bytes],
        log: Path,
        stop: Stop,
    ) -> None:
        """Monitor nodes of this process and another process with its log, until asked to stop."""
        super().__init__(plant, recorder, ("the suite", suite, log), stop)
        self._run = run

    def perform(self) -> RunReport:
        """Run the experiment."""
        self._conduct("impact_qp", flowing=self._run.realtime)
        return RunReport(self._plant.simulation.time_ns * 1e-9, self._plant.missed_cycles)

    def _look(self) -> None:
        """Report the progress; called repeatedly."""
        plant = self._plant
        self._run.progress(plant.simulation.time_ns * 1e-9, plant.simulation.plant.gap)
