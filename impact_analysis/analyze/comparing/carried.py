# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What an arm carried before its impacts, and an analysis that counts with it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from impact_analysis.analyze.comparing.payload_identification import (
    CarriedPayload,
    identify_payload,
)
from impact_analysis.analyze.reading.collected import Collected
from impact_analysis.analyze.settings import AnalysisSettings


def payload_of(
    settings: AnalysisSettings, recordings: Iterable[Collected]
) -> CarriedPayload | None:
    """Return the payload that free motion before the impacts shows, none where it tells nothing."""
    found = [item.free for each in recordings for item in each.impacts if item.free.size]
    return identify_payload(settings.load_robot(), np.concatenate(found)) if found else None


def counting_with(payload: CarriedPayload, settings: AnalysisSettings) -> AnalysisSettings:
    """Return settings whose robot carries a payload, within its interval."""
    low, high = max(0.0, payload.low), max(0.0, payload.high)
    x, y, z = map(float, payload.centre)
    return replace(settings, payload=(low, high), payload_centre=(x, y, z))
