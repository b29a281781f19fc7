# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Control by reference spreading as a lifecycle node: all arms of a task with a box."""

from __future__ import annotations

from dataclasses import dataclass

from rclpy.clock import Clock
from rclpy.clock_type import ClockType

from impact_qp.arms.plan_start import PlanStart
from impact_qp.arms.plans import OBJECT_MAP_CHOICES, USUAL_MAP, SpreadChoice, guarded_arms
from impact_qp.arms.spread_arm import DETECTIONS, STATES, SpreadArm
from impact_qp.ros.control_cycle import bring_to_rest
from impact_qp.ros.diagnostics import DiagnosticsReporter
from impact_qp.ros.task_name import task_name
from impact_qp.spreading import Variant
from impact_qp.spreading.stopping import HOLD_DISTANCE
from impact_qp.watching_parameters import WatchingParameters
from impact_robots.task.box_task import IMPACT_LIMITS_OF_BOXES
from impact_robots.task.find import find_box_task
from impact_ros.node.lifecycle_node import SuiteLifecycleNode
from impact_ros.node.main import main_for
from impact_ros.node.spin import freeze_garbage
from impact_ros.node.throttled_log import ThrottledLog
from impact_ros.parameters import declare, parameter

PERIOD = 1e-3  # of control [s]


@dataclass(frozen=True)
class SpreadingParameters(WatchingParameters):
    """Parameters of control by reference spreading."""

    task: str = parameter("", "Named task of arms and a box, or its YAML; a scenario contains one")
    cell: str = parameter("", "YAML of which arms stand where; empty: the task says it")
    scenario: str = parameter("", "Former name of `task`; works for now")
    variant: str = parameter(
        "rs", "How references change", choices=tuple(each.value for each in Variant)
    )
    object_map: str = parameter(
        USUAL_MAP,
        "Impact map of the references; usual: points for a push, locked for a grab",
        choices=OBJECT_MAP_CHOICES,
    )
    speed_cap: float = parameter(
        1.0,
        "Highest speed of the contact point: plans above it are refused, faster arms stopped",
        unit="m/s",
        low=0.01,
        high=2.0,
    )
    hold_distance: float = parameter(
        HOLD_DISTANCE,
        "An arm that was pushed further from where it is held is held anew where it is",
        unit="m",
        low=0.01,
        high=0.5,
    )
    evidence_age: float = parameter(
        0.02,
        "A detection status counts only if its stamp is that close to the state's",
        unit="s",
        low=1e-3,
        high=1.0,
    )


class ImpactSpreadingNode(SuiteLifecycleNode):
    """Follows references that overlap about an impact, with one arm or two.

    Answers every `joint_states` message of each arm while active; the plan starts for all arms at
    one time, once the states of all arrive and all detectors are ready. If anything is wrong with
    one arm, all of them stop: they brake, then hold where they are. An arm whose states fall silent
    or cannot be trusted is brought to gravity compensation at its torque rates; so are all of them
    at cleanup and at shutdown, and, once they have braked, when they are deactivated.
    """

    PARAMETERS = SpreadingParameters

    def __init__(self, **options) -> None:
        """Declare the parameters; everything else waits for `configure`."""
        super().__init__("impact_spreading", **options)
        self.arms: list[SpreadArm] = []
        self.settings = declare(self, SpreadingParameters)

    def set_up(self) -> str:
        """Make the plans, a controller and the topics of each arm, and the watchdog."""
        task = find_box_task(task_name(self, self.settings), self.settings.cell)
        settings = self.settings
        settings.refuse_weak_limits(task.impact_limits, IMPACT_LIMITS_OF_BOXES)
        choice = SpreadChoice(
            variant=Variant(settings.variant),
            object_map=settings.object_map,
            cap=settings.speed_cap,
            hold_distance=settings.hold_distance,
        )
        self._plan_start = PlanStart(task.arm_names, period=PERIOD, lockstep=settings.lockstep)
        self._log = ThrottledLog(self.get_logger())
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
            for name, control in zip(task.arm_names, guarded_arms(task, choice), strict=True)
        ]
        self._make_timers()
        freeze_garbage()
        return f"{task.name}, {self.settings.variant}"

    def _make_timers(self) -> None:
        steady = Clock(clock_type=ClockType.STEADY_TIME)  # watches while simulated time stands
        self._watchdog = None
        if not self.settings.lockstep:
            half = self.settings.state_timeout / 2.0
            self._watchdog = self.create_timer(half, self._look, clock=steady)
        self._diagnostics = [
            DiagnosticsReporter(
                self,
                steady,
                {
                    f"{arm.prefix}{STATES}": "the arm's",
                    f"{arm.prefix}{DETECTIONS}": "the detector's",
                    **arm.outputs.owners,
                },
                lambda arm=arm: (arm.diagnosis, arm.watch.counts, arm.inputs.newest),
            )
            for arm in self.arms
        ]

    def begin(self) -> str:
        """Follow the plan once the states of all arms arrive, unless one is not at its start."""
        if refusals := [arm.refusal for arm in self.arms if arm.refusal]:
            return "; ".join(refusals)
        for arm in self.arms:
            arm.lose("activated again")  # of a deactivation a moment ago
        bring_to_rest(self.arms, PERIOD)
        self._plan_start.reset()
        self._stopping = False
        for arm in self.arms:
            arm.activate()
        return ""

    def stop(self) -> None:
        """Brake for as long as states arrive, come to rest, then send nothing."""
        self._stopping = True
        for arm in self.arms:
            arm.deactivate()

    def release(self, reason: str) -> None:
        """Destroy what `configure` made, with arms at rest that were commanded at all."""
        if not self.arms:
            return
        for arm in self.arms:
            arm.clean_up(reason)
        bring_to_rest(self.arms, PERIOD)
        if self._watchdog is not None:
            self.destroy_timer(self._watchdog)
        for each in (*self.arms, *self._diagnostics):
            each.destroy()
        self.arms = []

    def _take_turns(self) -> None:
        """Answer what waits: in lockstep all arms in their order, as one process does."""
        if self.settings.lockstep:
            if not all(arm.waits or arm.resting for arm in self.arms):
                return
            self._compare_stamps()
        for arm in self.arms:
            arm.answer_pending()

    def _compare_stamps(self) -> None:
        """Stop all arms if their states in lockstep are not of one time."""
        stamps = {arm.name: arm.pending for arm in self.arms if arm.pending is not None}
        if len(set(stamps.values())) > 1:
            got = ", ".join(f"{name} {stamp * 1e-9:.3f} s" for name, stamp in stamps.items())
            self.arms[0].stop(f"joint_states in lockstep: expected equal stamps, got {got}")

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

    def _look(self) -> None:
        for arm in self.arms:
            arm.look()
        if all(arm.resting for arm in self.arms) or self._plan_start.ready:
            return
        if problem := self._plan_start.problem:
            self.arms[0].stop(problem)
        self._log.warning(f"the plan waits for {self._plan_start.waits_for}")


main = main_for(ImpactSpreadingNode)
