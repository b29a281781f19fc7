# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A robot cell as a node: the drivers of one or two arms in lockstep, and a box."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

import numpy as np
from geometry_msgs.msg import PoseStamped

from impact_msgs.msg import JointCommand
from impact_ros.messages import to_nanoseconds
from impact_ros.node.main import main_for
from impact_ros.parameters import declare, parameter
from impact_ros.qos import STREAM
from impact_sim.cell.box_pose import pose_message
from impact_sim.cell.cell_simulation import CellSimulation
from impact_sim.cell.spreading_scenario import SpreadingScenario
from impact_sim.cell.watched_cell import WatchedCell
from impact_sim.driver.sensors import NO_NOISE, PANDA_NOISE
from impact_sim.driver.simulation import START_NS, Measurement
from impact_sim.ros.arm_port import ArmPort
from impact_sim.ros.lockstep_node import LockstepNode
from impact_sim.ros.standalone import Standalone, shutdown_when_over
from impact_sim.scenario_choice import find


@dataclass(frozen=True)
class CellParameters:
    """Parameters of the simulated cell."""

    scenario: str = parameter("rs_push_catfood_case2", "Named scenario with a box, or its YAML")
    seed: int = parameter(0, "Seed of the sensor noise and of where the box stands", low=0)
    noise: bool = parameter(True, "Sensor noise as measured on a real Panda")
    duration: float = parameter(20.0, "Longest simulated time", unit="s", low=0.001)
    shutdown_when_over: bool = shutdown_when_over()


class ImpactCellNode(LockstepNode):
    """Arms with plates and a box, with the topics of the arms' drivers.

    One arm has the topics of the node `impact_sim`; two have them in the namespaces `left` and
    `right`. `box_pose` is the true pose of the box. The node publishes states and waits for
    the commands of all arms with the stamp of the states.
    """

    PARAMETERS = CellParameters

    def __init__(self, **options) -> None:
        """Put everything where its scenario starts; nothing moves before ``start``."""
        super().__init__("impact_cell", **options)
        self.parameters = declare(self, CellParameters)
        self.scenario = find(self.parameters.scenario, SpreadingScenario)
        seed = self.parameters.seed
        self.plant = WatchedCell(self.scenario.layout(self.scenario.drawn(seed)))
        noise = PANDA_NOISE if self.parameters.noise else NO_NOISE
        self.simulation = CellSimulation(self.plant, noise=noise, seed=seed)
        self._box = self.create_publisher(PoseStamped, "box_pose", STREAM)
        self.ports = [
            ArmPort(self, each.robot, self._heard(arm), self._note_dropped, namespace=name)
            for arm, (each, name) in enumerate(
                zip(self.plant.arms, self.scenario.arm_names, strict=True)
            )
        ]
        start = [np.array(q) for q in self.scenario.q_start]
        self._measured: tuple[Measurement, ...] = self.simulation.reset(start)
        self._commands: dict[int, np.ndarray] = {}  # by arm, for the present states
        self._over = False

    @property
    def peers(self) -> int:
        """Smallest number, over the arms, of nodes that subscribe to its states and command it."""
        return min(port.peers for port in self.ports)

    @property
    def finished(self) -> bool:
        """Whether the experiment has ended, all states processed, or has failed."""
        return bool(self.failure) or self._over

    @property
    def unanswered(self) -> str:
        """The arms without a command, as text."""
        missing = [n for n in range(len(self.ports)) if n not in self._commands]
        return " of " + ", ".join(self.scenario.arm_names[arm] or "the arm" for arm in missing)

    def _heard(self, arm: int) -> Callable[[JointCommand], None]:
        """Return the callback for the commands of an arm."""

        def on_command(message: JointCommand) -> None:
            stamp = to_nanoseconds(message.header.stamp)
            if not self._started or self.finished or stamp != self._stamp_ns:
                return
            self._commands[arm] = self.ports[arm].checked(message, self._measured[arm])
            self._note_answered()
            if len(self._commands) == len(self.ports):
                self._advance()

        return on_command

    def _advance(self) -> None:
        """Simulate one cycle, unless the run has ended, and publish the sensor readings."""
        first, now = self.plant.first_contact_time, self.simulation.time_ns * 1e-9
        end = inf if first is None else first + self.scenario.after_contact
        self._over = now >= min(end, self.parameters.duration)
        if self._over:
            return
        commands = [self._commands[arm] for arm in range(len(self.ports))]
        self._commands.clear()
        self._measured = self.simulation.step(commands)
        self._publish()

    @property
    def _stamp_ns(self) -> int:
        return START_NS + self.simulation.time_ns

    def publish_states(self) -> None:
        """Publish the box and the measurements of arms without a command for them."""
        self._box.publish(pose_message(self._stamp_ns, self.plant.box))
        for arm, port in enumerate(self.ports):
            if arm not in self._commands:
                port.publish(self._measured[arm])


class StandaloneCellNode(Standalone, ImpactCellNode):
    """The cell as a process: starts when controllers of all arms are connected."""

    @property
    def waits(self) -> bool:
        """Whether it waits for the first command: controllers may be activated at any time."""
        return not self.simulation.time_ns


main = main_for(StandaloneCellNode)
