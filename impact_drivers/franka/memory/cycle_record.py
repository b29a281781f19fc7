# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The fixed layout of a cycle in shared memory: written by the loop, read by the node."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from impact_detector.signals.sample import Detection, DetectionStatus
from impact_drivers.franka.loop.loop_cycle import DOF, LoopCounts, LoopCycle, LoopState
from impact_drivers.franka.memory.checked_record import CHECKSUM
from impact_qp.control.command import Command
from impact_qp.control.phases import Phase

PHASES = tuple(Phase)
LINE, NAMES = 400, 240  # longest texts [bytes]; longer ones are cut
SEPARATOR = b"\n"  # between names
_COMMAND_ARRAYS = (
    "torque",
    "driver_torque",
    "velocity",
    "position",
    "ddq",
    "reference_torque",
    "gravity",
)
_COMMAND_NUMBERS = ("slack", "normal_speed", "speed_bound", "gap")
_JOINTS = ("q", "dq", "tau", "sent", *_COMMAND_ARRAYS)
_PLAIN = ("time", "period", "detections", "acknowledged", "begun", "reported")
_INTEGERS = (*_PLAIN, *LoopCounts._fields)
_DETECTION = ("impact_time", "detection_time")
_TIMES = ("success_rate", "solve_time", "cycle_time")
_NUMBERS = (*_TIMES, *_COMMAND_NUMBERS)
_LINES = ("refusal", "fault", "errors")
_TRUTHS = ("due", "is_answered", "is_sent", "is_judged", "armed", "impact", "raised")
_BYTES = ("state", "phase", *_TRUTHS)

CYCLE = np.dtype(
    [
        CHECKSUM,
        ("number", "<u8"),
        *[(name, "<i8") for name in (*_INTEGERS, *_DETECTION, "last_detection", "suppressed")],
        *[(name, "<f8") for name in _NUMBERS],
        *[(name, "<f8") for name in ("statistic", "threshold", "crossing", "crossed")],
        *[(name, "<f8", DOF) for name in _JOINTS],
        *[(name, "u1") for name in _BYTES],
        *[(name, "S16") for name in ("detector", "detected_by")],
        *[(name, f"S{NAMES}") for name in ("active", "relaxed")],
        *[(name, f"S{LINE}") for name in (*_LINES, "note")],
    ]
)


def pack(cycle: LoopCycle, fields: Any) -> None:
    """Write a cycle to a record of layout ``CYCLE``."""
    for name in ("q", "dq", "tau", *_TIMES):
        fields[name] = getattr(cycle, name)
    for name in (*_PLAIN, "state", "raised"):
        fields[name] = getattr(cycle, name)
    for name, count in cycle.counts._asdict().items():
        fields[name] = count
    for name in _LINES:
        fields[name] = _encoded(getattr(cycle, name))
    fields["is_sent"] = cycle.sent is not None
    if cycle.sent is not None:
        fields["sent"] = cycle.sent
    _pack_answer(cycle.answer, fields)
    _pack_status(cycle.status, fields)
    if (detection := cycle.detection) is not None:
        fields["detected_by"] = _encoded(detection.detector)
        fields["crossing"], fields["crossed"] = detection.statistic, detection.threshold
        for name in _DETECTION:
            fields[name] = getattr(detection, name)


def _pack_answer(command: Command | None, fields: Any) -> None:
    fields["is_answered"] = command is not None
    if command is None:
        return
    for name in (*_COMMAND_ARRAYS, *_COMMAND_NUMBERS, "due"):
        fields[name] = getattr(command, name)
    fields["phase"], fields["note"] = PHASES.index(command.phase), _encoded(command.note)
    fields["active"], fields["relaxed"] = _joined(command.active), _joined(command.relaxed)


def _pack_status(status: DetectionStatus | None, fields: Any) -> None:
    fields["is_judged"] = status is not None
    if status is None:
        return
    for name in ("statistic", "threshold", "armed", "impact"):
        fields[name] = getattr(status, name)
    fields["suppressed"], fields["detector"] = status.suppressed_count, _encoded(status.detector)
    fields["last_detection"] = -1 if status.detection_time is None else status.detection_time


def unpack(fields: Any) -> LoopCycle:
    """Return the cycle of a record of layout ``CYCLE``; its arrays are copies."""
    content: dict[str, Any] = {name: fields[name].copy() for name in ("q", "dq", "tau")}
    content |= {name: int(fields[name]) for name in _PLAIN}
    content |= {name: float(fields[name]) for name in _TIMES}
    content |= {name: _decoded(fields[name]) for name in _LINES}
    return LoopCycle(
        **content,
        state=LoopState(int(fields["state"])),
        answer=_answer(fields) if fields["is_answered"] else None,
        sent=fields["sent"].copy() if fields["is_sent"] else None,
        status=_status(fields) if fields["is_judged"] else None,
        detection=_detection(fields) if fields["detections"] else None,
        counts=LoopCounts(*(int(fields[name]) for name in LoopCounts._fields)),
        raised=bool(fields["raised"]),
    )


def _answer(fields: Any) -> Command:
    content: dict[str, Any] = {name: fields[name].copy() for name in _COMMAND_ARRAYS}
    content |= {name: float(fields[name]) for name in _COMMAND_NUMBERS}
    return Command(
        **content,
        phase=PHASES[fields["phase"]],
        active=_split(fields["active"]),
        relaxed=_split(fields["relaxed"]),
        due=bool(fields["due"]),
        note=_decoded(fields["note"]),
    )


def _status(fields: Any) -> DetectionStatus:
    last = int(fields["last_detection"])
    return DetectionStatus(
        int(fields["time"]),
        float(fields["statistic"]),
        float(fields["threshold"]),
        bool(fields["armed"]),
        bool(fields["impact"]),
        detection_time=None if last < 0 else last,
        detector=_decoded(fields["detector"]),
        suppressed_count=int(fields["suppressed"]),
    )


def _detection(fields: Any) -> Detection:
    return Detection(
        _decoded(fields["detected_by"]),
        int(fields["impact_time"]),
        int(fields["detection_time"]),
        float(fields["crossing"]),
        float(fields["crossed"]),
    )


@lru_cache(maxsize=256)  # the same few lines, a thousand times a second
def _encoded(text: str) -> bytes:
    return text.encode()[:LINE]


@lru_cache(maxsize=256)
def _joined(names: tuple[str, ...]) -> bytes:
    text = SEPARATOR.join(name.encode() for name in names)
    return text if len(text) <= NAMES else text[:NAMES].rpartition(SEPARATOR)[0]


def _decoded(text: bytes) -> str:
    return text.decode(errors="replace")


@lru_cache(maxsize=256)
def _split(text: bytes) -> tuple[str, ...]:
    return tuple(_decoded(text).split("\n")) if text else ()
