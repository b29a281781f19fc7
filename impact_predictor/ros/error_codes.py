# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Which code of the predictor's services an error is. Needs no ROS."""

from __future__ import annotations

from impact_predictor.exceptions import (
    NoImpulseError,
    NotApproachingError,
    PredictionError,
    SingularJacobianError,
    UnboundedSetError,
    UnknownJointsError,
    UnknownNameError,
    UnsolvedImpactError,
)
from impact_robots.exceptions import OutOfRangeError

_BY_CLASS: dict[type[Exception], str] = {
    NotApproachingError: "CODE_NOT_APPROACHING",
    OutOfRangeError: "CODE_OUT_OF_RANGE",
    NoImpulseError: "CODE_NO_SOLUTION",
    SingularJacobianError: "CODE_NO_SOLUTION",
    UnboundedSetError: "CODE_NO_SOLUTION",
    UnknownJointsError: "CODE_NO_SOLUTION",
    UnsolvedImpactError: "CODE_NO_SOLUTION",
}
_BY_KIND = {
    "model": "CODE_UNKNOWN_MODEL",
    "object map": "CODE_UNKNOWN_MODEL",
    "inverse inertia": "CODE_UNKNOWN_MODEL",
    "friction law": "CODE_UNKNOWN_FRICTION_LAW",
    "contact frame": "CODE_UNKNOWN_CONTACT",
    "set": "CODE_UNKNOWN_SET",
    "joint ranges": "CODE_OUT_OF_RANGE",
}


class RequestError(PredictionError):
    """A request cannot be answered; carries the name of the service's code."""

    def __init__(self, code: str, message: str) -> None:
        """Keep the ``code``'s name."""
        super().__init__(message)
        self.code = code


def code_name(error: Exception) -> str:
    """Return the name of the code that both services give to ``error``.

    Only PredictImpact has CODE_NO_CONTACT and CODE_UNKNOWN_FRICTION_LAW, only ComputeFeasibleSets
    CODE_UNKNOWN_SET and CODE_NOT_APPROACHING: the other service cannot run into their errors.
    """
    if isinstance(error, RequestError):
        return error.code
    if isinstance(error, UnknownNameError):
        return _BY_KIND.get(error.kind, "CODE_INTERNAL_ERROR")
    return _BY_CLASS.get(type(error), "CODE_INTERNAL_ERROR")
