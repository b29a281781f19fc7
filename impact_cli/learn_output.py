# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Output of a learning arm: a JSON document, a picture, and the learned ranges."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from impact_bags.new_files import write_file
from impact_cli.ending import end_runs

if TYPE_CHECKING:
    from impact_analysis.learning.learned_scenario import LearnedScenario
    from impact_predictor.learning.learning_box import LearningBox


def document_of(
    learner: LearnedScenario, entries: Sequence[dict[str, Any]], wall_unknown: bool, folder: Path
) -> dict[str, Any]:
    """Return the JSON document: the truth, and one entry a hit."""
    truth = learner.truth
    return {
        "scenario": learner.scenario.name,
        "wall_unknown": wall_unknown,
        "seed": learner.seed,
        "truth": {
            "stiffness_npm": truth.stiffness,
            "exponent": truth.exponent,
            "friction": truth.friction,
            "best_speed_mps": truth.best_speed,
            "restitution_at_best_speed": truth.restitution,
        },
        "hits": list(entries),
        "output_dir": str(folder),
    }


def end_learned(
    document: dict[str, Any],
    learner: LearnedScenario,
    narrowed: LearningBox,
    sentence: str = "",
    **options: Any,
) -> None:
    """Write everything into the document's folder, and print the document or its end.

    Args:
        document: of :func:`document_of`.
        learner: of the scenario.
        narrowed: ranges after the last hit.
        sentence: summary of the hits.
        **options: ``as_json`` and ``started`` of :func:`end_runs`.

    Raises:
        WriteError: a file cannot be written.
    """
    from impact_analysis.learning.learned_picture import draw
    from impact_analysis.learning.learned_table import truth_line
    from impact_predictor.learning.learned_file import joints_text, wall_text

    folder = Path(document["output_dir"])
    write_file(folder / "wall.yaml", wall_text(narrowed))
    write_file(folder / "joints.yaml", joints_text(narrowed))
    draw(document["hits"], learner.truth, learner.box, folder / "learn.png")
    where, truth = "Table, picture and learned ranges: {}", truth_line(learner.truth)
    end_runs(folder / "learn.json", document, lambda: (truth, sentence), where=where, **options)


def learned_status(entries: Sequence[dict[str, Any]]) -> int:
    """Return the exit status: 1 if a hit was above a limit, or there was none."""
    loads = [each["load_over_limit"] for each in entries if each["load_over_limit"] is not None]
    return 0 if loads and max(loads) <= 1.0 else 1
