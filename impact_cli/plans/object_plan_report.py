# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Report of the safe speed of arms that hit a box, as text and JSON."""

from __future__ import annotations

from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from impact_analysis.present.number import span
from impact_analysis.present.table import aligned
from impact_predictor.multicontact.object_impact import OBJECT_MAPS, object_impact
from impact_qp.object_speed import ObjectBound, ObjectHit, ObjectSpeeds
from impact_robots.task.box_task import BoxTask

_ONE = "arm"  # label of a single arm, which has no name


class ObjectPlan(NamedTuple):
    """A task with a box, and its safe speeds."""

    task: BoxTask
    hit: ObjectHit
    impact_limits: str
    joint_ranges: str
    speeds: ObjectSpeeds

    @property
    def asked_speed(self) -> float:
        """Normal speed of the task's plates, the mean of the arms [m/s]."""
        return self.task.reference_speed

    @property
    def is_safe(self) -> bool:
        """Whether any speed is safe."""
        return self.speeds.safe.scale > 0.0


def object_plan_document(plan: ObjectPlan) -> dict[str, Any]:
    """Return the document for JSON and YAML; unlimited speeds are infinite."""
    hit, safe = plan.hit, plan.speeds.safe
    loads = plan.impact_limits == "joint_load"
    return {
        "scenario": plan.task.name,
        "kind": plan.task.kind,
        "robot": ", ".join(dict.fromkeys(each.name for each in hit.robots.values())),
        "mode": plan.impact_limits,
        "impact_limits": plan.impact_limits,
        "joint_ranges": plan.joint_ranges if loads else None,
        "object_mass_kg": list(hit.mass),
        "object_velocity_mps": np.array(hit.velocity, dtype=float),
        "friction": hit.friction[1],
        "friction_low": hit.friction[0],
        "restitution": list(hit.restitution),
        "stiffness_npm": list(hit.stiffness),
        "asked_speed_mps": plan.asked_speed,
        "speed_bound_mps": safe.scale * plan.asked_speed,
        "limit": safe.limit or None,
        "scale": safe.scale,
        "together": _bound(plan.speeds.together, plan.asked_speed),
        "delayed": _delayed(plan),
        "arms": {name or _ONE: _arm(plan, name) for name in hit.plates},
    }


def _bound(bound: ObjectBound, speed: float) -> dict[str, Any]:
    return {"speed_bound_mps": bound.scale * speed, "limit": bound.limit or None}


def _delayed(plan: ObjectPlan) -> dict[str, Any] | None:
    """Return the safe speed at the worst delay; none: a single arm."""
    found = plan.speeds.delayed
    if found is None:
        return None
    late = {"late": found.late, "delay_s": found.delay}
    return _bound(found.bound, plan.asked_speed) | late


def _arm(plan: ObjectPlan, name: str) -> dict[str, Any]:
    """Return the safe speed of one arm."""
    plate, safe = plan.hit.plates[name], plan.speeds.safe.scale
    velocity, into = plate.arm.jacobian(plate.center)[:3] @ plate.arm.velocity(), plate.axes[:, 2]
    speed = float(velocity @ into)
    return {
        "q_rad": plate.arm.state.q,
        "contact_point_m": plate.center,
        "normal": -into,
        "asked_velocity_mps": velocity,
        "speed_bound_mps": safe * speed,
        "velocity_bound_mps": safe * velocity,
        "alone": _bound(plan.speeds.alone[name], speed),
        "velocity_after_mps": _after(plan, name),
    }


def _after(plan: ObjectPlan, name: str) -> dict[str, Any]:
    """Return the plate's velocities after the impact at the bound, by map, of the lightest box."""
    scale = plan.speeds.safe.scale
    if not isfinite(scale):
        return dict.fromkeys(OBJECT_MAPS)
    hit, body = plan.hit, plan.hit.body(plan.hit.mass[0])
    return {
        kind: object_impact(hit.scaled(scale), body, hit.footing, kind=kind).plates[name][:3]
        for kind in OBJECT_MAPS
    }


def object_plan_text(plan: ObjectPlan) -> str:
    """Return the text: task and ranges, a table, the safe speed."""
    hit, safe = plan.hit, plan.speeds.safe
    low, high = hit.mass
    vx, vy, vz = np.array(hit.velocity, dtype=float)
    moves = f", moving with ({vx:g}, {vy:g}, {vz:g}) m/s" if hit.moves else ", at rest"
    joints = f", {plan.joint_ranges} joints" if plan.impact_limits == "joint_load" else ""
    return "\n".join(
        [
            ": ".join(filter(None, (plan.task.name, plan.task.title))),
            f"  box {low:.3g} to {high:.3g} kg{moves}; {plan.impact_limits}{joints}",
            f"  friction {span(*hit.friction, '.3g')}, restitution {span(*hit.restitution, '.3g')},"
            f" stiffness {span(*hit.stiffness, '.3g')} N/m",
            "",
            *_table(plan),
            "",
            f"  highest safe speed {_speed(safe, plan.asked_speed)}",
            *_scale(plan),
        ]
    )


def _table(plan: ObjectPlan) -> list[str]:
    """Return one line per arm, one for all at once, and one for the worst delay."""
    names = list(plan.hit.plates)
    bounds = {f"{name or _ONE} alone": plan.speeds.alone[name] for name in names}
    if len(names) > 1:
        bounds["both at once"] = plan.speeds.together
    if (found := plan.speeds.delayed) is not None:
        late = (
            "any delay" if found.delay is None else f"{found.late} {1e3 * found.delay:.1f} ms late"
        )
        bounds[late] = found.bound
    rows = [(label, _speed(bound, plan.asked_speed)) for label, bound in bounds.items()]
    return [f"  {line}" for line in aligned(rows, left=(0, 1))]


def _speed(bound: ObjectBound, speed: float) -> str:
    if not isfinite(bound.scale):
        return "unlimited: no limit is affected"
    return f"{bound.scale * speed:.4f} m/s, limited by {bound.limit}"


def _scale(plan: ObjectPlan) -> list[str]:
    """Return the comparison with the speed that the task requests."""
    scale = plan.speeds.safe.scale
    if not isfinite(scale):
        return []
    note = "fast enough" if scale >= 1.0 else "the task is too fast"
    return [f"  requested {plan.asked_speed:.4f} m/s: {scale:.3f} times that is safe, {note}"]
