# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Requests to the arm over TCP, and the fake arm's responses."""

from __future__ import annotations

from typing import Any

import numpy as np
from franky_sim.franka_robot_protocol import (
    AutomaticErrorRecoveryCommand,
    AutomaticErrorRecoveryStatus,
    GetRobotModelCommand,
    MoveCommand,
    MoveCommandControllerMode,
    MoveStatus,
    RobotCommand,
    SetCollisionBehaviorCommand,
    SetLoadCommand,
    StopMoveCommand,
)

from impact_drivers.franka.arm.collision_behavior import CollisionBehavior

DONE, NOT_POSSIBLE = 0, 1  # of commands that set something


class _Move(MoveCommand):
    """Begins torque control, the fake arm's only motion."""

    def handle(self, server: Any) -> None:
        torque = self.controller_mode == MoveCommandControllerMode.kExternalController
        if torque and server.begin_motion(self.command_id):
            self.reply(MoveStatus.kMotionStarted)
        else:
            self.reply(MoveStatus.kCommandNotPossibleRejected)


class _StopMove(StopMoveCommand):
    def handle(self, server: Any) -> None:
        self.reply(DONE)
        server.end_motion(MoveStatus.kPreempted)


class _SetCollisionBehavior(SetCollisionBehaviorCommand):
    def handle(self, server: Any) -> None:
        done = server.arm.set_thresholds(
            CollisionBehavior(
                self.upper_torque_thresholds_nominal, self.upper_force_thresholds_nominal
            )
        )
        self.reply(DONE if done else NOT_POSSIBLE)


class _SetLoad(SetLoadCommand):
    def handle(self, server: Any) -> None:
        server.arm.load = (self.m_load, np.array(self.F_x_Cload))
        self.reply(DONE)


class _AutomaticErrorRecovery(AutomaticErrorRecoveryCommand):
    def handle(self, server: Any) -> None:
        done = server.arm.recover()
        refused = AutomaticErrorRecoveryStatus.kCommandNotPossibleRejected
        self.reply(AutomaticErrorRecoveryStatus.kSuccess if done else refused)


COMMANDS = {
    RobotCommand.kMove: _Move,
    RobotCommand.kStopMove: _StopMove,
    RobotCommand.kSetCollisionBehavior: _SetCollisionBehavior,
    RobotCommand.kSetLoad: _SetLoad,
    RobotCommand.kAutomaticErrorRecovery: _AutomaticErrorRecovery,
    RobotCommand.kGetRobotModel: GetRobotModelCommand,
}
