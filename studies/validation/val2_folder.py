# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A folder of finished trials, one line each, so that a stopped study can resume."""

from __future__ import annotations

from pathlib import Path

from studies.study_folder import StudyFolder
from studies.validation.val2_trial import NetTrial

STUDY = "val2"
TRIALS = f"{STUDY}.jsonl"


class FinishedTrials(StudyFolder[NetTrial]):
    """Trials of one study."""

    def __init__(self, folder: Path, seed: int, *, resume: bool) -> None:
        """Say where; arguments and errors as of :class:`StudyFolder`."""
        super().__init__(folder, STUDY, NetTrial, seed, resume=resume)
