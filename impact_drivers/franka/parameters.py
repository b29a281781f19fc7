# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the Franka node, which it hands to the loop as one line of JSON. Needs no ROS."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from impact_detector.estimators.gross_methods import GROSS_METHODS, POLYNOMIAL
from impact_detector.parameters import DetectorParameters
from impact_detector.signals.sample import FUSED
from impact_drivers.franka.arm.settings import ArmSettings
from impact_qp.limits.impact_limits.registry import ON_A_REAL_ARM, described
from impact_qp.plan_parameters import PlanParameters, planned
from impact_ros.parameters import from_values, parameter


@dataclass(frozen=True)
class FrankaParameters(ArmSettings, PlanParameters):
    """Parameters of a Franka Research 3 through libfranka; address and contact must be given.

    Parameters of the task may be changed between two runs; those of the arm, and the cap of its
    speed, are fixed once the node has started.
    """

    robot: str = parameter("fr3", "Name of a robot of the suite, or path of its YAML.")
    impact_limits: str = planned(
        "robust",
        f"Which impulses must respect the limits ({described(ON_A_REAL_ARM)}; a real arm and its"
        " fake are moved by no others); joint_load, which auto means, waits at the beginning of a"
        " goal until it knows the loads",
        choices=ON_A_REAL_ARM,
    )
    address: str = parameter("", "Name or IP address of the arm.")
    dry_run: bool = parameter(False, "Compute everything, but send the arm torques of zero.")
    state_timeout: float = parameter(
        0.1,
        "No state from the loop for longer is a fault.",
        unit="s",
        low=0.01,
        high=10.0,
    )
    answer_timeout: float = parameter(
        5.0, "The loop must answer a request within this time.", unit="s", low=0.1, high=60.0
    )
    fused_threshold: float = parameter(
        15.0,
        "Velocity jump that no joint torque explains: more is an impact.",
        unit="standard deviations",
        low=1e-6,
    )
    rearm_time: float = parameter(
        0.5, "Time below it before the next impact is reported.", unit="s", low=0.0, high=10.0
    )
    estimate_window: float = parameter(
        0.1, "Length of the fit that gives the gross velocity.", unit="s", low=0.005, high=1.0
    )
    estimate_method: str = parameter(
        POLYNOMIAL, "How the gross velocity is found.", choices=GROSS_METHODS
    )

    def detector(self) -> DetectorParameters:
        """Return the settings of the detector."""
        return DetectorParameters(
            robot=self.robot,
            urdf=self.urdf,
            joint_prefix=self.joint_prefix,
            detectors=(FUSED,),
            thresholds={"fused_threshold": self.fused_threshold},
            rearm_time=self.rearm_time,
            lockstep=True,
            estimate_window=self.estimate_window,
            estimate_method=self.estimate_method,
            contact_normal=self.contact_normal,
        )

    def to_line(self) -> str:
        """Return the parameters as one line, for :meth:`from_line` in another process."""
        return json.dumps(asdict(self))

    @classmethod
    def from_line(cls, line: str) -> FrankaParameters:
        """Return the parameters of a line.

        Raises:
            ParameterError: a value does not fit.
            DriverError: there are too few or too many of a kind.
        """
        return from_values(cls, json.loads(line))
