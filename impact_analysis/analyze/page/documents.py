# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Writes an analysis as report, as JSON and as CSV files, units in the names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from impact_analysis.analyze.comparing.comparison import Ranked
from impact_analysis.analyze.comparing.payload_identification import CarriedPayload
from impact_analysis.analyze.page.narrative import FIGURES, sentences_of
from impact_analysis.analyze.reading.missed import FORCE, JUMP, PUSH, Missed
from impact_analysis.analyze.result import Analysis, Judged
from impact_analysis.present.plain import json_text, plain
from impact_analysis.present.sentence import Sentence
from impact_analysis.present.table import write_csv
from impact_analysis.spreading.cell_documents import arm_rows, cell_document
from impact_bags.new_files import NewFiles
from impact_predictor.identification.joint_estimate import JointIdentification

IMPACTS, PREDICTIONS, COMPARISON, RANKING = (
    f"{name}.csv" for name in ("impacts", "predictions", "comparison", "ranking")
)
LEARNED = ("learned/wall.yaml", "learned/joints.yaml")  # --learn: ranges of wall and joints
DOCUMENT, REPORT, JOINTS, ARMS = "analysis.json", "report.html", "joints.yaml", "arms.csv"


def document(analysis: Analysis, report: Path) -> dict[str, Any]:
    """Return the analysis as plain values; angles in degrees where the key ends in deg or degps."""
    best = analysis.best
    coefficients, units = analysis.coefficients, analysis.contact_units
    inertia = best.candidate.inertia if best else next(iter(coefficients))
    found = coefficients[inertia]
    return plain(
        {
            "report": str(report),
            "robot": analysis.robot.name,
            "settings": analysis.settings.as_json(),
            "summary": analysis.answer,
            "warnings": analysis.warnings,
            "sentences": [_sentence(each) for each in sentences_of(analysis)],
            "recordings": [_recording(each) for each in analysis.recordings],
            "impacts": [_impact(k, each) for k, each in enumerate(analysis.impacts)],
            "best_model": None if best is None else best.candidate.name,
            "mean_error_degps": {
                name: float(np.degrees(analysis.mean_errors.get(name, np.nan)))
                for name in analysis.robot.motor_inertias
            },
            "ranking": [_ranked(each) for each in analysis.ranking],
            "comparison": [_cell(cell) for cell in analysis.cells],
            "friction": asdict(found.friction) | {"inertia": inertia},
            "friction_if_not_assumed": analysis.free_friction,
            "restitution": asdict(found.restitution) | {"inertia": inertia},
            "measured_restitution": analysis.measured_restitution,
            "contact": {
                law: figures
                | dict(zip(("stiffness_unit", "damping_unit"), units[law], strict=True))
                for law, figures in analysis.contact.items()
            },
            "impulse_ratio": analysis.impulse_ratios,
            "membership": _memberships(analysis),
            "surface": {
                "friction": analysis.surface.friction,
                "restitution": analysis.surface.restitution,
                "stiffness_npm": analysis.surface.stiffness,
                "assumed": analysis.surface.assumed,
                "options": analysis.surface.options,
            },
            "payload": None if analysis.payload is None else _payload(analysis.payload),
            "joints": None if analysis.joints is None else _joints(analysis.joints),
            "detection_delay_s": _delays(analysis),
            "cells": [cell_document(each, analysis.robot.name) for each in analysis.arms],
        }
    )


def _payload(found: CarriedPayload) -> dict[str, Any]:
    low, high = found.declared
    return {
        "mass_kg": found.mass,
        "mass_low_kg": found.low,
        "mass_high_kg": found.high,
        "centre_m": found.centre,
        "centre_half_m": found.centre_half,
        "declared_low_kg": low,
        "declared_high_kg": high,
        "is_another": found.is_another,
        "postures": found.postures,
    }


def _recording(each: Any) -> dict[str, Any]:
    names = ("recording", "error", "samples", "judged", "dropped")
    return {name: getattr(each, name) for name in names} | {
        "remarks": [said.text for said in each.remarks],
        "duration_s": each.duration,
        "impacts": len(each.impacts),
        "largest_statistic": each.largest_statistic,
        "threshold": each.threshold,
        "missed": [_missed(one) for one in each.missed],
    }


def _missed(one: Missed) -> dict[str, Any]:
    sizes = {FORCE: "force_n", JUMP: "velocity_jump_radps", PUSH: "momentum_nms"}
    size = sizes.get(one.kind, "statistic")
    found = {"kind": one.kind, "time_s": one.time, size: one.size, "reason": one.reason}
    if one.kind in sizes:
        return found
    return found | {"detector": one.detector, "threshold": one.threshold}


def _sentence(each: Sentence) -> dict[str, Any]:
    where = {"recording": each.recording or None, "time_s": each.time}
    return {"key": each.key, "text": each.text} | where


def _impact(number: int, impact: Judged) -> dict[str, Any]:
    item, member = impact.measured, impact.membership
    return {
        "impact": number,
        "recording": item.recording,
        "group": item.group,
        "time_s": item.time,
        "time_std_s": item.time_std,
        "detection_time_s": item.detection_time,
        "detection_delay_s": item.delay,
        "detector": item.detector,
        "statistic": item.statistic,
        "threshold": item.threshold,
        "complete": item.complete,
        "compared": bool(impact.predicted),
        "link": item.link,
        "expected": item.expected,
        "approach_speed_mps": impact.approach_speed,
        "effective_mass_kg": impact.effective_mass,
        "effective_mass_low_kg": impact.mass_interval[0],
        "effective_mass_high_kg": impact.mass_interval[1],
        "measured_mass_kg": impact.measured_mass.value,
        "measured_mass_low_kg": impact.measured_mass.low,
        "measured_mass_high_kg": impact.measured_mass.high,
        "dq_before_radps": item.dq_before,
        "dq_after_radps": item.dq_after,
        "impulse_ns": item.impulse,
        "impulse_std_ns": item.impulse_std,
        "normal_impulse_ns": item.normal_impulse,
        "normal_impulse_low_ns": item.normal_impulse_interval[0],
        "normal_impulse_high_ns": item.normal_impulse_interval[1],
        "impulse_source": item.impulse_source,
        "peak_force_n": item.peak_force,
        "contact_duration_s": item.duration,
        "restitution": item.restitution,
        **_torques(impact),
        **_jumps(impact),
        "in_set": None if member is None else member.strict,
        "no_worse_than_set": None if member is None else member.hull,
        "notes": [said.text for said in item.notes],
    }


def _torques(impact: Judged) -> dict[str, Any]:
    """Return the largest changes of the joints' torques, NaN where they were not compared."""
    found = impact.torques
    nothing = np.full(len(impact.measured.q), np.nan)
    low, high = (nothing, nothing) if found is None else found.predicted
    return {
        "torque_change_nm": nothing if found is None else found.measured,
        "torque_change_tolerance_nm": nothing if found is None else found.tolerance,
        "predicted_torque_change_low_nm": low,
        "predicted_torque_change_high_nm": high,
    }


def _jumps(impact: Judged) -> dict[str, Any]:
    """Return when the joints jumped, NaN where that is not known."""
    found = impact.jumps
    nothing = np.full(len(impact.measured.q), np.nan)
    low, high = (nothing, nothing) if found is None else found.predicted
    return {
        "jump_time_s": nothing if found is None else found.measured,
        "predicted_jump_time_low_s": low,
        "predicted_jump_time_high_s": high,
    }


def _joints(found: JointIdentification) -> dict[str, Any]:
    """Return the joints' parameters as fractions of the values in the robot's YAML.

    A joint whose hits the model does not explain has none.
    """
    scale, low, high = (
        np.where(found.explained, each, np.nan) for each in (found.scale, found.low, found.high)
    )
    figures = {
        name.replace(" ", "_"): {
            "share": scale[k],
            "low": low[k],
            "high": high[k],
            "known": found.known[k],
        }
        for k, name in enumerate(FIGURES)
    }
    return figures | {
        "explained": found.explained,
        "hits": found.hits,
        "misfit": found.misfit,
        "most_misfit": found.most_misfit,
        "file": JOINTS if found.known.any() else None,
    }


def _ranked(each: Ranked) -> dict[str, Any]:
    one = each.candidate
    return {
        "model": one.name,
        "inertia": one.inertia,
        "law": one.law,
        "friction": one.friction,
        "restitution": one.restitution,
        "mean_error_degps": np.degrees(each.error),
        "mean_error_low_degps": np.degrees(each.low),
        "mean_error_high_degps": np.degrees(each.high),
        "best_share": each.best_share,
        "worse_than_best_low_degps": np.degrees(each.worse_low),
        "worse_than_best_high_degps": np.degrees(each.worse_high),
    }


def _cell(cell: Any) -> dict[str, Any]:
    return {
        "group": cell.group,
        "joint": cell.joint,
        "repetitions": cell.repetitions,
        "dq_before_degps": np.degrees(cell.before),
        "dq_after_degps": np.degrees(cell.after),
        "significant": cell.significant,
    } | {f"error_{name}_degps": np.degrees(value) for name, value in cell.errors.items()}


def _memberships(analysis: Analysis) -> dict[str, int]:
    known = [each.membership for each in analysis.impacts if each.membership is not None]
    return {
        "impulses": len(known),
        "in_set": sum(one.strict for one in known),
        "no_worse_than_set": sum(one.hull for one in known),
    }


def _delays(analysis: Analysis) -> dict[str, Any] | None:
    known = [each.measured.delay for each in analysis.impacts]
    delays = np.array([delay for delay in known if np.isfinite(delay)])
    if not delays.size:
        return None
    return {
        "median": float(np.median(delays)),
        "p95": float(np.percentile(delays, 95)),
        "largest": float(delays.max()),
        "impacts": int(delays.size),
    }


def write(analysis: Analysis, folder: Path) -> dict[str, Any]:
    """Write report, JSON and CSV files into a folder that exists; return the document.

    Files of an earlier analysis that this one does not have are removed.

    Raises:
        WriteError: the disk refused; files of an earlier analysis are as they were.
    """
    from impact_analysis.analyze.page.report import report_text  # loads slowly

    found = document(analysis, folder / REPORT)
    tables: dict[str, Iterable[Mapping[str, Any]]] = {
        IMPACTS: map(_flat, found["impacts"]),
        PREDICTIONS: analysis.each_record(),
        COMPARISON: found["comparison"],
        RANKING: found["ranking"],
    }
    if analysis.arms:
        tables[ARMS] = map(_flat, plain(arm_rows(analysis.arms)))
    else:
        (folder / ARMS).unlink(missing_ok=True)  # of an earlier analysis
    with NewFiles() as new:
        new.open(folder / DOCUMENT).write(json_text(found))
        for name, rows in tables.items():
            write_csv(new.open(folder / name, newline=""), rows)
        new.open(folder / REPORT).write(report_text(analysis))
        if found["joints"] and found["joints"]["file"]:
            new.open(folder / JOINTS).write(_joint_entries(analysis))
        else:
            (folder / JOINTS).unlink(missing_ok=True)  # of an earlier analysis
    for name in LEARNED:
        (folder / name).unlink(missing_ok=True)  # of an earlier analysis
    return found


def _joint_entries(analysis: Analysis) -> str:
    from impact_predictor.identification.joint_entries import joint_entries_text  # loads slowly

    assert analysis.joints is not None
    return joint_entries_text(analysis.robot, analysis.joints)


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row without lists: a column for each entry, texts joined."""
    flat: dict[str, Any] = {}
    for name, value in row.items():
        if not isinstance(value, list):
            flat[name] = value
        elif name == "notes":
            flat[name] = "; ".join(value)
        else:
            stem, unit = name.rsplit("_", 1)
            flat |= {f"{stem}_{k}_{unit}": entry for k, entry in enumerate(value, 1)}
    return flat
