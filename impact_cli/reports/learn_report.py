# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Report of thresholds learned from free motion: a table, node parameters, JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from math import nan
from typing import Any

from impact_analysis.detection.learn_run import MARGIN, QUANTILE, Learnt, RecordedMotion
from impact_analysis.detection.statistic_text import unit_of
from impact_analysis.present.plain import json_text
from impact_analysis.present.table import aligned
from impact_detector.detectors.detector_kind import DETECTORS
from impact_detector.parameters import DetectorParameters
from impact_detector.signals.sample import FUSED

SLOW = 0.1  # joint velocity below which an arm counts as standing [rad/s]
SHORT = 60.0  # duration below which a longer recording is advised [s]
STANDS_OUT = 3.0  # largest statistic over its quantile; free motion of a real Panda: up to 2
# Parameters besides thresholds on which statistics depend
_BESIDE = ("robot", "joint_prefix", "joints", "bias_samples", "reference_excludes_gravity")


def learn_text(
    results: Sequence[Learnt], motion: RecordedMotion, parameters: Mapping[str, Any], setting: str
) -> str:
    """Return table, warnings and parameters; ``setting`` names files, robot and joints."""
    head = ["detector", "largest", "99.9 %", "current", "proposed", "", ""]
    judged = [result for result in results if not result.reason]
    lines = [
        setting,
        f"  {motion.samples} samples in {motion.duration:.3f} s, joints up to"
        f" {motion.fastest:.2f} rad/s; proposed: {MARGIN:g} x largest",
        "",
        *aligned([head, *map(_row, judged)], left=(0, 5, 6)),
        *(f"{each.detector}: cannot be judged: {each.reason}" for each in results if each.reason),
        "",
        *(f"warning: {text}" for text in warnings(results, motion)),
    ]
    return "\n".join([*lines, *([as_yaml(parameters)] if parameters else [])]).rstrip()


def learn_json(
    results: Sequence[Learnt],
    motion: RecordedMotion,
    parameters: Mapping[str, Any],
    setting: Mapping[str, Any],
) -> str:
    """Return one JSON document."""
    document = {
        **setting,
        "samples": motion.samples,
        "duration_s": motion.duration,
        "fastest_radps": motion.fastest,
        "margin": MARGIN,
        "detectors": {result.detector: _document(result) for result in results},
        "parameters": parameters,
        "warnings": warnings(results, motion),
    }
    return json_text(document)


def node_parameters(results: Sequence[Learnt], parameters: DetectorParameters) -> dict[str, Any]:
    """Return the node's parameters: thresholds and the settings they hold for; empty if none."""
    judged = [result for result in results if not result.reason]
    found = {DETECTORS[result.detector].parameter: result.proposed for result in judged}
    if not found:
        return {}
    default = DetectorParameters()
    beside = [name for name in _BESIDE if getattr(parameters, name) != getattr(default, name)]
    compared = any(DETECTORS[result.detector].detector.needs_reference for result in judged)
    if compared and parameters.reference != default.reference:
        beside.append("reference")
    return {**{name: getattr(parameters, name) for name in beside}, **found}


def as_yaml(parameters: Mapping[str, Any]) -> str:
    """Return the parameters as a YAML file for the node; JSON values are valid YAML."""
    lines = ["/**/impact_detector:", "  ros__parameters:"]
    lines += [f"    {name}: {json.dumps(value)}" for name, value in parameters.items()]
    return "\n".join(lines) + "\n"


def warnings(results: Sequence[Learnt], motion: RecordedMotion) -> list[str]:
    """Return reasons why these thresholds may be unreliable."""
    found = [text for result in results if (text := _impact_warning(result))]
    if motion.samples and motion.fastest < SLOW:
        found.append(
            f"the arm hardly moved ({motion.fastest:.3f} rad/s): thresholds for motion need motion"
        )
    if 0.0 < motion.duration < SHORT:
        found.append(
            f"{motion.duration:.0f} s is short: record a minute or more, with the fastest motions"
        )
    return found


def _impact_warning(result: Learnt) -> str:
    """Return a warning if the recording seems to contain an impact; else an empty string."""
    largest, usual = result.statistic.largest, result.statistic.quantile(QUANTILE)
    unit = unit_of(result.detector)
    if result.detector == FUSED and result.detections:
        times = ", ".join(f"{time * 1e-9:.3f}" for time in result.times)
        more = ", ..." if result.detections > len(result.times) else ""
        what = f"exceeds its {result.current:g} {unit} at {times}{more} s"
    elif not result.reason and largest > STANDS_OUT * usual:
        what = f"reaches {largest:.3g} {unit} but mostly stays below {usual:.3g}"
    else:
        return ""
    return f"looks like an impact: {result.detector} {what}; if so, record again without"


def _row(result: Learnt) -> list[str]:
    """Return one line of the table."""
    statistic = result.statistic
    values = (statistic.largest, statistic.quantile(QUANTILE), result.current, result.proposed)
    numbers = (f"{value:.3f}" for value in values)
    return [result.detector, *numbers, unit_of(result.detector), _remark(result)]


def _remark(result: Learnt) -> str:
    """Return a comment on the current threshold."""
    which = "default" if result.current == DETECTORS[result.detector].threshold else "current"
    if result.fine:
        return f"{which} is fine"
    times = result.detections
    if times:
        return f"{which} fires {times} time{'s' if times > 1 else ''}"
    return f"{which} has less margin than {MARGIN:g}"


def _document(result: Learnt) -> dict[str, Any]:
    judged = not result.reason
    return {
        "parameter": DETECTORS[result.detector].parameter,
        "unit": unit_of(result.detector),
        "judged_samples": result.statistic.count,
        "largest_statistic": result.statistic.largest if judged else nan,
        "quantile_0.999": result.statistic.quantile(QUANTILE) if judged else nan,
        "current_threshold": result.current,
        "current_is_fine": result.fine,
        "detections_at_current": result.detections,
        "proposed_threshold": result.proposed,
        "reason_not_judged": result.reason or None,
    }
