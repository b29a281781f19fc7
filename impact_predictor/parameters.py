# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the node impact_predictor, and the surface that they describe. Needs no ROS."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from impact_predictor.exceptions import UnknownNameError
from impact_predictor.prediction.near_contact import NearContact
from impact_robots import Robot, RobotError, Surface
from impact_robots.surface import USUAL_FRICTION, USUAL_RESTITUTION
from impact_ros.parameters import ParameterError, RobotParameters, parameter

_NAN = float("nan")


@dataclass(frozen=True)
class PredictorParameters(RobotParameters):
    """Parameters of the predictor; all are fixed once it has started."""

    stream: bool = parameter(
        False, "Predict while the contact point is near the surface and approaches it."
    )
    contact_point: tuple[float, ...] = parameter(
        (_NAN, _NAN, _NAN), "Any point of the surface, base axes; needed by the stream.", unit="m"
    )
    contact_normal: tuple[float, ...] = parameter(
        (_NAN, _NAN, _NAN),
        "Outward normal of the surface, towards the robot, base axes; needed by the stream.",
    )
    friction: tuple[float, float] = parameter(
        USUAL_FRICTION,
        "Lowest and highest coefficient of friction of the stream, which predicts their mean.",
        low=0.0,
        high=10.0,
    )
    restitution: tuple[float, float] = parameter(
        USUAL_RESTITUTION,
        "Lowest and highest coefficient of restitution of the stream, which predicts their mean.",
        low=0.0,
        high=1.0,
    )
    stream_distance: float = parameter(
        0.05, "The stream speaks when the gap is below this, on either side.", unit="m", low=0.0
    )
    stream_rate: float = parameter(
        50.0,
        "Highest rate of the stream, counted in stamps of the states.",
        unit="Hz",
        low=0.1,
        high=10000.0,
    )
    model: str = parameter(
        "M+B_theta", "Impact map of the stream, and of the markers where several were asked for."
    )
    marker_impulse_scale: float = parameter(
        0.1, "Length of a drawn impulse.", unit="m per N.s", low=1e-6, high=1e6
    )
    marker_velocity_scale: float = parameter(
        0.5, "Length of a drawn velocity.", unit="m per m/s", low=1e-6, high=1e6
    )

    def near_contact(self, robot: Robot) -> NearContact | None:
        """Return what the stream predicts, none without a stream.

        Raises:
            ParameterError: the surface is not given, or not usable.
            UnknownNameError: the robot has no such model.
        """
        if not self.stream:
            return None
        if self.model not in robot.motor_inertias:
            raise UnknownNameError("model", self.model, robot.motor_inertias)
        return NearContact(
            robot,
            self._surface(),
            inertia=self.model,
            distance=self.stream_distance,
            rate=self.stream_rate,
        )

    def _surface(self) -> Surface:
        """Return the surface."""
        point, normal = (
            self._three(name, getattr(self, name)) for name in ("contact_point", "contact_normal")
        )
        try:
            return Surface(point, normal, self.friction, self.restitution)
        except RobotError as error:
            raise ParameterError("contact_normal", str(error)) from None

    def _three(self, name: str, values: tuple[float, ...]) -> np.ndarray:
        """Return three finite numbers."""
        if len(values) != 3 or not np.isfinite(values).all():
            text = f"expected three finite numbers for the stream, got {list(values)}"
            raise ParameterError(name, text)
        return np.array(values)
