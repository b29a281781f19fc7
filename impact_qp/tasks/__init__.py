# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Tasks: the desired motion of the arm."""

from impact_qp.tasks.admittance import AdmittanceTask
from impact_qp.tasks.frame import FrameTask
from impact_qp.tasks.orientation import OrientationTask
from impact_qp.tasks.posture import PostureTask
from impact_qp.tasks.task import Task
from impact_qp.tasks.velocity import VelocityTask

__all__ = [
    "AdmittanceTask",
    "FrameTask",
    "OrientationTask",
    "PostureTask",
    "Task",
    "VelocityTask",
]
