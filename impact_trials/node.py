# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Control by reference spreading as a lifecycle node: all arms of a scenario with a box."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from rclpy.clock import Clock
from rclpy.clock_type import ClockType

from impact_qp.ros.diagnostics import DiagnosticsReporter
from impact_qp.ros.plan_start import PlanStart
from impact_qp.ros.spread_arm import STATES, SpreadArm
from impact_qp.spreading import Variant
from impact_qp.spreading.guarded_spreading import GuardedSpreading
from impact_qp.watching_parameters import WatchingParameters
from impact_robots.loader import load_robot
from impact_ros.lifecycle_node import SuiteLifecycleNode
from impact_ros.main import main_for
from impact_ros.parameters import declare, parameter
from impact_ros.spin import freeze_garbage
from impact_sim.scenario_choice import find_cell_scenario
from impact_trials.spread_controller import spread_answers
from impact_trials.spread_plans import SpreadChoice

PERIOD = 1e-3  # of control [s]


@dataclass(frozen=True)
class SpreadingParameters(WatchingParameters):
    """Parameters of control by reference spreading."""

    scenario: str = parameter("rs_push_catfood_case2", "Named scenario with a box, or its YAML")
    variant: str = parameter(
        "rs", "How references change", choices=tuple(each.value for each in Variant)
    )


class ImpactSpreadingNode(SuiteLifecycleNode):
    """Follows references that overlap about an impact, with one arm or two.

    Answers every `joint_states` message of each arm while active; the plan starts once all arms'
    states arrive. If anything is wrong with one arm, all of them stop: they brake, then hold. An
    arm whose states fall silent or cannot be believed is brought to gravity compensation at its
    torque rates; so are all of them at cleanup and at shutdown.
    """

    PARAMETERS = SpreadingParameters

    def __init__(self, **options) -> None:
        """Declare the parameters; everything else waits for `configure`."""
        super().__init__("impact_spreading", **options)
        self.arms: list[SpreadArm] = []
        self.settings = declare(self, SpreadingParameters)

    def set_up(self) -> str:
        """Make the plans, a controller and the topics of each arm, and the watchdog."""
        scenario = find_cell_scenario(self.settings.scenario)
        robot = load_robot(scenario.robot)
        choice = SpreadChoice(variant=Variant(self.settings.variant))
        controls = [
            GuardedSpreading(answers.controller, np.array(start))
            for answers, start in zip(
                spread_answers(scenario, robot, choice), scenario.q_start, strict=True
            )
        ]
        self._plan_start = PlanStart(scenario.arm_names)
        self._stopping = False
        self.arms = [
            SpreadArm(
                self,
                name,
                control,
                self._plan_start,
                self.settings,
                self._stop_all,
                self._take_turns,
            )
            for name, control in zip(scenario.arm_names, controls, strict=True)
        ]
        self._make_timers()
        freeze_garbage()
        return f"{scenario.name}, {self.settings.variant}"

    def _make_timers(self) -> None:
        steady = Clock(clock_type=ClockType.STEADY_TIME)  # watches while simulated time stands
        self._ticks = [self.create_timer(PERIOD, self._settle, clock=steady)]
        if not self.settings.lockstep:
            half = self.settings.state_timeout / 2.0
            self._ticks.append(self.create_timer(half, self._look, clock=steady))
        self._diagnostics = [
            DiagnosticsReporter(
                self,
                steady,
                f"{arm.name}/{STATES}" if arm.name else STATES,
                lambda arm=arm: (arm.fault, arm.watch.counts),
            )
            for arm in self.arms
        ]

    def begin(self) -> str:
        """Follow the plan once the states of all arms arrive."""
        self._plan_start.reset()
        self._stopping = False
        for arm in self.arms:
            arm.activate()
        return ""

    def stop(self) -> None:
        """Brake and hold for as long as states arrive."""
        self._stopping = True
        for arm in self.arms:
            arm.stop("deactivated")

    def release(self, reason: str) -> None:
        """Destroy what `configure` made, with arms at rest that were commanded at all."""
        if not self.arms:
            return
        self.get_logger().info(f"{reason} by request")
        for arm in self.arms:
            if arm.engaged:
                arm.rest(reason)
        while any([arm.settle() for arm in self.arms]):
            time.sleep(PERIOD)
        for timer in self._ticks:
            self.destroy_timer(timer)
        for each in (*self.arms, *self._diagnostics):
            each.destroy()
        self.arms = []

    def _take_turns(self) -> None:
        """Answer what waits: in lockstep all arms in their order, as one process does."""
        if self.settings.lockstep and not all(arm.waits or arm.resting for arm in self.arms):
            return
        for arm in self.arms:
            arm.answer_pending()

    def _stop_all(self, name: str, reason: str) -> None:
        """Stop all arms because of one, and say so once."""
        if self._stopping:
            return
        self._stopping = True
        who = name or "the arm"
        self.get_logger().error(f"stopped: {who}: {reason}; deactivate and activate to go on")
        for arm in self.arms:
            if arm.name != name:
                arm.stop(f"{who}: {reason}")

    def _settle(self) -> None:
        for arm in self.arms:
            arm.settle()

    def _look(self) -> None:
        for arm in self.arms:
            arm.look()


main = main_for(ImpactSpreadingNode)
