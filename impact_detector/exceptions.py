# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Errors of the detector and its estimators."""

from collections.abc import Iterable

from impact_robots.exceptions import ImpactError


class DetectorError(ImpactError):
    """A detector or estimator was set up with something that it cannot use."""


class EstimateError(ImpactError):
    """Measurements do not suffice for an estimate: too few samples, a gap, no contact."""


def unknown_name(kind: str, got: str, choices: Iterable[str]) -> DetectorError:
    """Return the error for an unknown name of a ``kind`` of object."""
    return DetectorError(f"{kind}: expected one of {', '.join(choices)}, got {got!r}")
