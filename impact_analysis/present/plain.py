# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""JSON documents: plain values, null for what is not finite."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import numpy as np


def plain(value: Any) -> Any:
    """Return dataclasses, mappings and arrays as JSON holds them; what is not finite is null."""
    if hasattr(value, "__dataclass_fields__"):
        return {key: plain(item) for key, item in asdict(value).items()}
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float | np.floating):
        return float(value) if np.isfinite(value) else None
    return value.item() if isinstance(value, np.generic) else value


def json_text(document: Any) -> str:
    """Return one JSON document."""
    return json.dumps(plain(document), indent=2, allow_nan=False)
