# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Reference spreading: motions before and after an impact that overlap, coupled by a map."""

from impact_qp.references.free_motion import FreeMotions, free_motions
from impact_qp.references.impact_motion import AfterImpact, impact_motion, smooth_motion
from impact_qp.references.quintics import Knot, Quintics, ReferenceState
from impact_qp.references.reference_file import read_references, references_text
from impact_qp.references.spread import SpreadReference, couple

__all__ = [
    "AfterImpact",
    "FreeMotions",
    "Knot",
    "Quintics",
    "ReferenceState",
    "SpreadReference",
    "couple",
    "free_motions",
    "impact_motion",
    "read_references",
    "references_text",
    "smooth_motion",
]
