# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One grab of a humanoid over real DDS: the plant here, the controller in another process."""

from __future__ import annotations

from collections.abc import Callable

import yaml

from impact_bags.new_files import write_file
from impact_bags.reading.run_record import Run
from impact_bringup.experiments.child import child_process
from impact_bringup.experiments.conductor import (
    NodeConductor,
    make_folder,
    plant_and_recorder,
    ros_session,
)
from impact_bringup.experiments.domain import own_domain
from impact_ros.node.spin import stop_on_signals
from impact_sim.humanoid.grab_file import grab_text
from impact_sim.humanoid.grab_scenario import GrabScenario
from impact_sim.humanoid.node import ImpactHumanoidSimNode

CONTROLLER = "impact_humanoid"


class GrabConductor(NodeConductor[ImpactHumanoidSimNode]):
    """Connects the humanoid and its controller, and monitors both."""

    RECORDED = frozenset(
        {
            *("/joint_states", "/odom", "/box0_pose"),
            *(f"/{side}_{part}/wrench" for side in ("left", "right") for part in ("palm", "sole")),
            *("/impact_qp/command", "/impact_qp/status", "/impact_humanoid/grab"),
            "/impact_qp/desired_joint_states",
        }
    )
    LISTENERS = 2  # controller and recorder

    def perform(self) -> float:
        """Run the grab and return the simulated time, including settling [s]."""
        self._conduct(CONTROLLER)
        return self._plant.stage.time_ns * 1e-9


def grab_over_dds(run: Run[GrabScenario], attend: Callable[[ImpactHumanoidSimNode], None]) -> float:
    """Run one grab from start to recording and return the simulated time [s].

    Args:
        run: settings of the grab.
        attend: called with the plant's node before any motion; may subscribe to its cycles.

    Raises:
        ExperimentError: the controller did not start, died or stopped responding.
        KeyboardInterrupt: interrupted; the recording so far is finished.
    """
    make_folder(run.folder)
    scenario = run.folder / f"{run.scenario.name}.yaml"
    write_file(scenario, grab_text(run.scenario))
    own = {"task": str(scenario), "lockstep": True}
    settings, log = run.folder / "parameters.yaml", run.folder / "controller.log"
    write_file(settings, yaml.safe_dump({CONTROLLER: {"ros__parameters": own}}, sort_keys=False))
    parameters = {"scenario": str(scenario), "seed": run.seed, "noise": run.noise}
    arguments = ["--ros-args", "--params-file", str(settings)]
    with (
        own_domain(),
        stop_on_signals() as stop,
        ros_session(),
        plant_and_recorder(ImpactHumanoidSimNode, parameters, run.bag, run.tap) as (
            plant,
            recorder,
        ),
        child_process("impact_qp.body.node", arguments, log) as controller,
    ):
        attend(plant)
        other = "the controller", controller, log
        return GrabConductor(plant, recorder, other, stop).perform()
