# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Report of detected impacts, as text and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from impact_analysis.detection.detect_run import DetectionResult
from impact_analysis.detection.statistic_text import suppressed_text, unit_of
from impact_analysis.present.plain import json_text
from impact_analysis.present.sentences import said
from impact_detector.attribution.assessment import Assessment
from impact_detector.signals.sample import Detection, Suppressed

_REFERENCES = {
    "desired": "desired (recorded)",
    "model": "model (no desired torque recorded)",
}


def as_text(result: DetectionResult, setting: str) -> str:
    """Return the report of one recording; ``setting`` names robot and joints."""
    lines = [
        result.name,
        f"  reference torque: {_reference_text(result)}; {setting}",
        f"  {result.samples} samples in {result.watch.duration:.3f} s, {result.judged} judged,"
        f" {result.dropped} dropped (not finite)",
        f"  {_largest_text(result)}",
        f"  impacts: {len(result.impact_times) if result.judged else 'cannot be determined'}",
    ]
    if result.lost:
        lines.insert(1, f"  damaged or not finished, lost: {'; '.join(result.lost)}")
    if result.beyond:
        lines.insert(1, f"  {said('beyond_limits', joint=result.beyond).text}")
    if jumps := result.watch.jumps:
        lines.insert(1, f"  {said('jumps', count=len(jumps), longest=f'{max(jumps):.3g}').text}")
    for detection, assessment in zip(result.detections, result.assessments, strict=True):
        lines += [f"    {_event_text(detection)}", f"      {_assessment_text(assessment)}"]
    if result.suppressed:
        lines.append(f"  above a threshold, but no event: {len(result.suppressed)}")
        lines += [f"    {suppressed_text(each)}" for each in result.suppressed]
    lines += [f"  {trouble}" for trouble in result.troubles.values()]
    return "\n".join(lines)


def as_json(results: Sequence[DetectionResult], folder: str | None, setting: Any) -> str:
    """Return one JSON document: of one recording, or of a folder with one entry per file."""
    files = [_document(result) for result in results]
    if folder is None:
        return json_text({**files[0], **setting})
    statistics = [item["largest_statistic"] for item in files]
    known = [value for value in statistics if value is not None]
    document = {
        "folder": folder,
        "events": [{"file": item["file"], **event} for item in files for event in item["events"]],
        "largest_statistic": max(known, default=None),
        "threshold": results[0].threshold,
        "reference": sorted({result.reference for result in results}),
        "samples": sum(result.samples for result in results),
        "files": files,
        **setting,
    }
    return json_text(document)


def _document(result: DetectionResult) -> dict[str, Any]:
    largest = result.largest
    return {
        "file": result.name,
        "events": [
            _event(detection) | _assessment(assessment)
            for detection, assessment in zip(result.detections, result.assessments, strict=True)
        ],
        "no_events": [_suppressed(each) for each in result.suppressed],
        "beyond_limits": result.beyond or None,
        "troubles": list(result.troubles.values()),
        "largest_statistic": None if largest is None else largest.statistic,
        "largest_statistic_time_s": None if largest is None else largest.time * 1e-9,
        "threshold": result.threshold,
        "detector": None if largest is None else largest.detector,
        "reference": result.reference,
        "samples": result.samples,
        "judged_samples": result.judged,
        "dropped_samples": result.dropped,
        "duration_s": result.watch.duration,
        "jumps_back_s": result.watch.jumps,
        "lost": result.lost,
    }


def _event(detection: Detection) -> dict[str, Any]:
    return {
        "impact_time_s": detection.impact_time * 1e-9,
        "detection_time_s": detection.detection_time * 1e-9,
        "detector": detection.detector,
        "statistic": detection.statistic,
        "threshold": detection.threshold,
    }


def _suppressed(suppressed: Suppressed) -> dict[str, Any]:
    return {
        "time_s": suppressed.time * 1e-9,
        "detector": suppressed.detector,
        "statistic": suppressed.statistic,
        "threshold": suppressed.threshold,
        "reason": suppressed.reason,
    }


def _assessment(assessment: Assessment) -> dict[str, Any]:
    location = assessment.location
    return {
        "link": location.link or None,
        "contact": location.contact or None,
        "direction": None if location.direction is None else location.direction.tolist(),
        "expected": assessment.expected,
        "reason_unexpected": assessment.reason or None,
    }


def _assessment_text(assessment: Assessment) -> str:
    location = assessment.location
    where = f"on {location.link}" if location.link else "on an unknown link"
    if location.contact:
        where += f" at {location.contact}"
    if location.direction is not None:
        x, y, z = location.direction.tolist()
        where += f", pushed towards ({x:.2f}, {y:.2f}, {z:.2f}) in base axes"
    expected = {None: "", True: "; as announced", False: f"; not announced: {assessment.reason}"}
    return where + expected[assessment.expected]


def _reference_text(result: DetectionResult) -> str:
    return _REFERENCES[result.reference]


def _largest_text(result: DetectionResult) -> str:
    if result.largest is None:
        return "no sample could be judged"
    unit = unit_of(result.largest.detector)
    return (
        f"{result.largest.detector}: largest statistic {result.largest.statistic:.3f} {unit} at"
        f" {result.largest.time * 1e-9:.3f} s, threshold {result.threshold:.3f} {unit}"
    )


def _event_text(detection: Detection) -> str:
    unit = unit_of(detection.detector)
    return (
        f"touch at {detection.impact_time * 1e-9:.4f} s, detected at"
        f" {detection.detection_time * 1e-9:.4f} s by {detection.detector}:"
        f" {detection.statistic:.3f} > {detection.threshold:.3f} {unit}"
    )
