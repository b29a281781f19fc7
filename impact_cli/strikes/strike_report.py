# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A strike as text and as a JSON document."""

from __future__ import annotations

from math import inf, isfinite
from typing import Any

from impact_cli.strikes.checked_strike import CheckedStrike
from impact_predictor.strike.strike_case import NailCase, StopCase, StrikeCase
from impact_predictor.strike.strike_plan import RESERVE, SPEED_RESERVE, StrikePlan
from impact_qp.strike.best_strike import BestStrike
from impact_robots.tools.target import Target

MODEL = "flexible-joint model"
NOT_MODELLED = (
    "bearings and gears of the arm",
    "strength of handle, head and adapter",
    "give of the tool across the strike",
    "obstacles, and links that hit each other",
)
_FIGURES = {  # name, unit and factor of the text by the effect's field
    "impulse": ("impulse", "N.s", 1.0),
    "work": ("work on the nail", "J", 1.0),
    "peak_force": ("peak force", "N", 1.0),
    "depth": ("depth of a strike", "mm", 1e3),
    "deflection": ("deflection of the handle", "mm", 1e3),
}
_KEYS = {
    "impulse": "impulse_ns",
    "early_impulse": "impulse_30ms_ns",
    "work": "work_j",
    "peak_force": "peak_force_n",
    "depth": "depth_m",
    "deflection": "handle_deflection_m",
}


def strike_document(strike: CheckedStrike) -> dict[str, Any]:
    """Return the document; ranges are [low, high], null is unlimited or not asked."""
    plan, best = strike.plan, strike.best
    robot, point = plan.striker.robot, plan.striker.point(plan.striker.tool.nominal.mass)
    return {
        "robot": robot.name,
        "q_rad": plan.striker.q,
        "contact_point_m": point.position,
        "direction": plan.striker.direction,
        "normal": 0.0 - plan.striker.direction,
        "wish": plan.target.wish._asdict(),
        "safe": strike.safe,
        "speed_mps": plan.speed,
        "speed_bound_mps": plan.highest,
        "limit": _limit(plan),
        "load_speed_mps": plan.critical.speed,
        "joint_speed_mps": plan.reached.speed,
        "reserve": RESERVE,
        "joint_speed_reserve": SPEED_RESERVE,
        "dq_radps": plan.reached.dq * (plan.speed / plan.reached.speed),
        "joint": plan.critical.limit % robot.dof + 1,
        "critical_case": _case(plan.critical.case),
        **{key: plan.between(name) for name, key in _KEYS.items()},
        "strikes": None if plan.strikes is None else plan.strikes._asdict(),
        "miss": {
            "load_over_limit": _speed(plan) / plan.miss.speed,
            "joint": plan.miss.limit % robot.dof + 1,
            "case": _case(plan.miss.case),
        },
        "check": _check(plan),
        "simulation": strike.document(),
        "best": None if best is None else _best(best),
        "not_modelled": NOT_MODELLED,
    }


def _check(plan: StrikePlan) -> dict[str, Any] | None:
    """Return the entries of the check."""
    check = plan.check
    if check is None:
        return None
    return {"model": MODEL, "cases": check.cases, "load_over_limit": check.used}


def _best(best: BestStrike) -> dict[str, Any]:
    """Return how the best strike was found."""
    return {
        "head_position_m": best.plan.striker.tool.head,
        "poses": best.reached,
        "start_speed_bound_mps": None if best.start is None else best.start.highest,
        "start_speed_at_most_mps": best.start_rating.speed,
    }


def _case(case: StrikeCase) -> dict[str, Any]:
    """Return a case's entries."""
    surface = case.surface
    kind = "stop" if isinstance(surface, StopCase) else "nail"
    return {
        "tool": case.tool._asdict(),
        kind: surface._asdict(),
        "offset_m": case.off.offset,
        "tilt_rad": case.off.tilt,
        "friction": case.friction,
        "joints": case.scale,
    }


def _speed(plan: StrikePlan) -> float:
    """Return the speed that figures are of, the highest if none delivers."""
    return plan.speed or plan.highest


def _limit(plan: StrikePlan) -> str:
    """Return what limits the highest speed."""
    if not plan.limited_by_load:
        return "joint speed"
    names = plan.striker.limits(plan.striker.tool.nominal.mass).names
    return names[plan.critical.limit]


def strike_text(strike: CheckedStrike) -> str:
    """Return a few lines."""
    plan, best = strike.plan, strike.best
    striker = plan.striker
    x, y, z = striker.point(striker.tool.nominal.mass).position
    b = ", ".join(f"{0.0 + round(each, 3):g}" for each in striker.direction)
    lines = [f"{striker.robot.name}, head at ({x:.3f}, {y:.3f}, {z:.3f}) m, strikes along ({b})"]
    if best is not None:
        lines += _found(best)
    lines += _speeds(plan)
    if plan.highest > 0.0:
        lines += _effects(plan)
        lines += _on_a_nail(plan)
        lines += [_miss(plan), _checked(plan), *strike.lines()]
    lines.append("  not modelled: " + "; ".join(NOT_MODELLED))
    return "\n".join(lines)


def _found(best: BestStrike) -> list[str]:
    """Return the best pose, and what the start allows."""
    tool = best.plan.striker.tool
    start = f"at most {best.start_rating.speed:.3f}"
    if best.start is not None:
        start = f"{best.start.highest:.3f}"
    lines = [
        f"  best of {best.reached} poses; at the start {start} m/s",
        "    --q " + ",".join(f"{each:.4f}" for each in best.plan.striker.q),
    ]
    if tool.head != best.tool.head:
        lines.append("    head mounted at [" + ", ".join(f"{x:.4f}" for x in tool.head) + "] m")
    return lines


def _checked(plan: StrikePlan) -> str:
    """Return the result of the check."""
    check = plan.check
    assert check is not None  # of every strike at a speed
    text = f"{MODEL}, {check.cases} cases (corners and draws): at most {check.used:.0%} of a limit"
    return f"  verified by the {text}" if check.passed else f"  NOT SAFE: {text}"


def _speeds(plan: StrikePlan) -> list[str]:
    wish, found = plan.target.wish, []
    if wish.amount is not None:
        if plan.speed > 0.0:
            found.append(f"  gentlest strike that delivers {wish}: {plan.speed:.3f} m/s")
        else:
            found.append(f"  no safe strike delivers {wish}; figures are of the highest")
    found.append(f"  highest safe speed {plan.highest:.3f} m/s, limited by {_limit(plan)}")
    load = plan.critical.speed
    text = f"{load:.3f} m/s" if load < inf else "unlimited"
    found.append(
        f"    joint loads {text}, {RESERVE:.0%} in reserve; joint speed"
        f" {plan.reached.speed:.3f} m/s, {SPEED_RESERVE:.0%} in reserve"
    )
    found.append(f"    worst case: {_words(plan.critical.case, plan)}")
    return found


def _words(case: StrikeCase, plan: StrikePlan) -> str:
    """Return a case in words."""
    surface = case.surface
    if isinstance(surface, NailCase):
        struck = f"nail of {surface.resistance:g} N"
    else:
        struck = f"stop, restitution {surface.restitution:g}"
    hard = f"{surface.stiffness:.3g} N/m" if surface.stiffness < inf else "rigid"
    beside = sum(each**2 for each in case.off.offset) ** 0.5
    tilt = sum(each**2 for each in case.off.tilt) ** 0.5
    handle = "" if case.tool.stiffness == inf else f" on {case.tool.stiffness:g} N/m"
    return (
        f"{struck}, {hard}; head {case.tool.mass:g} kg{handle}; {1e3 * beside:.0f} mm beside,"
        f" {tilt:.2f} rad, friction {case.friction:g}"
    )


def _effects(plan: StrikePlan) -> list[str]:
    found = []
    for name, (words, unit, factor) in _FIGURES.items():
        low, high = (factor * each for each in plan.between(name))
        if high > 0.0:
            top = f"{high:.3g}" if isfinite(high) else "unlimited"
            found.append(f"  {words} {low:.3g} to {top} {unit}")
    return found


def _on_a_nail(plan: StrikePlan) -> list[str]:
    """Return whether the nail moves, and the strikes to its depth."""
    if plan.target.nail is None:
        return []
    found = [f"  this nail will not move{_of(plan.target, plan)}"] if _stays(plan) else []
    if plan.strikes is not None:
        low, high = plan.strikes
        depth = 1e3 * (plan.target.nail.depth or 0.0)
        counts = dict.fromkeys(str(each or "never") for each in (low, high))
        found.append(f"  strikes to {depth:g} mm: {' to '.join(counts)}")
    return found


def _stays(plan: StrikePlan) -> bool:
    return plan.between("depth")[0] == 0.0


def _of(target: Target, plan: StrikePlan) -> str:
    """Return in which of the cases the nail does not move."""
    if plan.between("depth")[1] == 0.0:
        return ": the strike is below its threshold"
    still = [
        each.case.surface.resistance
        for each in plan.effects
        if each.effect.depth == 0.0 and isinstance(each.case.surface, NailCase)
    ]
    return f" in some cases of the ranges, from {min(still):g} N on"


def _miss(plan: StrikePlan) -> str:
    """Return what a stop would do."""
    part = _speed(plan) / plan.miss.speed
    joint = plan.miss.limit % plan.striker.robot.dof + 1
    what = "a stop" if plan.target.nail is None else "a miss (stop)"
    return f"  {what}: at most {part:.0%} of a limit of joint {joint}"
