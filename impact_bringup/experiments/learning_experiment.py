# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A wall learned over real DDS: the plant here, suite and learner in separate processes."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml
from rclpy.action import ActionClient
from rclpy.task import Future

from impact_bags.new_files import write_file
from impact_bags.reading.run_record import Run
from impact_bringup.experiments.child import child_process
from impact_bringup.experiments.conductor import ExperimentError, make_folder, ros_session
from impact_bringup.experiments.domain import own_domain
from impact_bringup.experiments.experiment import Conductor, experiment_nodes, suite_parameters
from impact_bringup.experiments.hit_pacer import HitPacer
from impact_msgs.action import LearnSurface
from impact_predictor.joint_load.load_limits import load_limits
from impact_predictor.learning.learned_file import JOINTS
from impact_predictor.learning.learning_box import FIGURES, LearningBox
from impact_predictor.learning.wall_interval import SHOWN
from impact_predictor.recorded_hit import HitTruth
from impact_robots.dynamics import ArmDynamics
from impact_robots.surface import RANGES, Surface
from impact_ros.message_fields import write
from impact_ros.messages import set_orientation, set_vector
from impact_ros.node.spin import stop_on_signals
from impact_ros.surface_message import surface_fields
from impact_sim.repeated_node import RepeatedSimNode
from impact_sim.scenarios import Scenario

LONGEST = 15.0  # largest simulated time of a hit [s]
AFTER_CONTACT = 1.0  # time after which the arm holds again [s]
CAP = 0.5  # highest speed of a hit [m/s]
SILENCE = 20.0  # time-out without messages; long: no real-time machine [s]


class LearnedOverDds(NamedTuple):
    """Result of a goal, with feedback and truth of each hit that was used for learning."""

    result: Any  # impact_msgs/LearnSurface.Result
    feedback: list[Any]
    truths: list[HitTruth]


def learn_over_dds(
    run: Run[Scenario], surface: Surface, hits: int, report: Callable[[Any, HitTruth], None]
) -> LearnedOverDds:
    """Let the simulated arm learn its scenario's wall.

    Args:
        run: scenario, folder, seed; in lockstep.
        surface: announced surface of the wall.
        hits: number of hits.
        report: called with feedback and truth after each hit that was used for learning.

    Raises:
        ExperimentError: suite or learner did not start, died or stopped responding, or the goal
            was rejected.
        KeyboardInterrupt: interrupted; the recording so far is finished.
    """
    make_folder(run.folder)
    parameters = suite_parameters(run)
    parameters["impact_qp"]["ros__parameters"] |= {
        "approach_on_activation": False,
        "goal_may_widen": True,
        "speed_cap": CAP,
    }
    ramp = parameters["impact_qp"]["ros__parameters"]["speed_ramp"]
    parameters["impact_learner"] = {
        "ros__parameters": {
            "robot": run.scenario.robot,
            "speed_cap": CAP,
            "speed_ramp": ramp,
            "silence_timeout": SILENCE,
            "lockstep": True,
        }
    }
    settings = run.folder / "parameters.yaml"
    write_file(settings, yaml.safe_dump(parameters, sort_keys=False))
    arguments = ["--ros-args", "--params-file", str(settings)]
    suite_log, learner_log = run.folder / "suite.log", run.folder / "learner.log"
    own = {"duration": LONGEST, "after_contact": AFTER_CONTACT}
    with (
        own_domain(),
        stop_on_signals() as stop,
        ros_session(),
        experiment_nodes(run, RepeatedSimNode, **own) as (plant, recorder),
        child_process("impact_bringup.suite", arguments, suite_log) as suite,
        child_process("impact_qp.learning.node", arguments, learner_log) as learner,
    ):
        conductor = LearningConductor(run, plant, recorder, suite, suite_log, stop)
        conductor.watch(learner, learner_log)
        return conductor.learn(_goal(surface, hits), report)


def learned_box(box: LearningBox, result: Any) -> LearningBox:
    """Return the ranges of wall and joints in a result of the action.

    Args:
        box: before the first hit.
        result: impact_msgs/LearnSurface.Result.
    """
    low, high = (
        np.concatenate(
            [
                [getattr(result.surface, f"{name}_{end}") for name in SHOWN],
                np.array((box.low if end == "low" else box.high)[len(SHOWN) : FIGURES]),
                *[getattr(result, f"{name.removesuffix('_range')}_{end}") for name in JOINTS],
            ]
        )
        for end in ("low", "high")
    )
    low[0], high[0] = np.log(low[0]), np.log(high[0])
    return box.narrowed(low, high)


def _goal(surface: Surface, hits: int) -> LearnSurface.Goal:
    """Return the goal for a surface with a point."""
    goal = LearnSurface.Goal(hits=hits)
    set_vector(goal.contact.pose.position, surface.point)
    set_orientation(goal.contact.pose.orientation, surface.rotation)
    write(goal.surface, surface_fields({name: getattr(surface, name) for name in RANGES}))
    return goal


class LearningConductor(Conductor):
    """Connects plant, suite and learner, and sends the goal."""

    _pacer: HitPacer | None = None
    _number = 0  # of reported hits

    def watch(self, learner: subprocess.Popen[bytes], log: Path) -> None:
        """Monitor the learner's process, too."""
        self._processes["the learner"] = learner, log

    def learn(
        self, goal: LearnSurface.Goal, report: Callable[[Any, HitTruth], None]
    ) -> LearnedOverDds:
        """Execute a goal."""
        self._report, self._made = report, LearnedOverDds(None, [], [])
        nodes = [self._client(name) for name in ("impact_qp", "impact_learner")]
        action = ActionClient(self._plant, LearnSurface, "impact_learner/learn_surface")
        try:
            self._wait("controller and learner to start", lambda: all(n.ready() for n in nodes))
            for node in nodes:
                self._request(node, "configure")
            self._wait("the nodes to find each other", self._connected)
            self._wait("the learner's action", action.server_is_ready)
            for node in nodes:
                self._request(node, "activate")
            self._pacer = HitPacer(self._plant, self._note)
            self._plant.start()
            self._wait("the first answer", lambda: bool(self._plant.finished))
            return self._made._replace(result=self._result(action, goal))
        finally:
            action.destroy()

    def _result(self, action: ActionClient, goal: LearnSurface.Goal) -> Any:
        sent = action.send_goal_async(
            goal, feedback_callback=lambda each: self._take_feedback(each.feedback)
        )
        self._wait("the learner to accept the goal", sent.done)
        handle = sent.result()
        if not handle.accepted:
            raise ExperimentError(f"the learner rejected the goal{self._log_hint()}")
        future: Future = handle.get_result_async()
        self._spin(lambda: future.done() or bool(self._plant.failure), timeout=None)
        if self._plant.failure:
            raise ExperimentError(self._plant.failure)
        result = future.result().result
        self._wait("the end of the last hit", lambda: self._number >= result.hits)
        return result

    def _look(self) -> None:
        """Resume the plant, and report finished hits."""
        super()._look()
        if self._pacer is None:
            return
        self._pacer.look()
        made = self._made
        while self._number < min(len(made.feedback), len(made.truths)):
            self._report(made.feedback[self._number], made.truths[self._number])
            self._number += 1

    def _note(self, plant: RepeatedSimNode) -> None:
        """Store the truth of a hit, if there was one."""
        truth, robot = plant.truth, plant.robot
        if truth.contact_start is None:
            return
        point = ArmDynamics(robot)(truth.contact_start.q, truth.contact_start.dq)
        speed = plant.scenario.surface(robot).approach_speed(point.velocity)
        used = load_limits(robot, truth.torque_before).used(truth.load)[: 2 * robot.dof]
        self._made.truths.append(HitTruth(point, speed, used))

    def _take_feedback(self, feedback: Any) -> None:
        """Store the feedback about a hit that was used for learning."""
        if feedback.learned:
            self._made.feedback.append(feedback)
