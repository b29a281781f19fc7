# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`hit --tool FILE --target FILE`: the fake FR3 strikes through libfranka, from rest to rest."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from impact_analysis.present.plain import json_text, plain
from impact_analysis.present.table import aligned
from impact_cli.franka.fake_hits import start_of_lockstep
from impact_cli.franka.fci_run import ending
from impact_cli.progress import Progress
from impact_drivers.exceptions import DriverError
from impact_drivers.fake_fr3.fake_process import FakeProcess
from impact_drivers.fake_fr3.observed import observed_peaks
from impact_drivers.fake_fr3.strike_setup import StrikeSetup
from impact_drivers.franka.arm.fr3_model import load_fr3
from impact_drivers.franka.arm.libfranka_arm import libfranka
from impact_drivers.franka.arm.settings import ArmSettings
from impact_drivers.franka.hit_process import HitJob, HitOutcome, run_hit
from impact_drivers.franka.strike_need import ObservedStrike, observed_strike
from impact_drivers.franka.strike_order import StrikeOrder
from impact_predictor.strike.strike_case import StrikeCase
from impact_predictor.strike.strike_plan import plan_strike
from impact_predictor.strike.surface_cases import middle_surface
from impact_qp.control.plan import Plan
from impact_qp.limits import Contact
from impact_qp.strike.strike_record import StrikeRows, measured_use
from impact_qp.strike.strike_series import StrikeSeries
from impact_robots.dynamics import ArmDynamics
from impact_robots.kinematics import inverse_kinematics
from impact_robots.tools.strike_file import read_target, read_tool
from impact_robots.tools.target import ANY_STOP

POSE = (0.2147, 0.0538, -0.2143, -2.3784, 0.0175, 2.4309, 0.0)  # at the contact, flange down [rad]
RUN_UP = 0.1  # [m]
STRIKES = 3
CAP, RETURN_SPEED = 1.0, 0.3  # [m/s]
LIMITS = "joint_load"  # everywhere but along the strike


@dataclass(frozen=True)
class FakeStrike:
    """One strike of the fake arm."""

    speed_mps: float  # planned
    contact_speed_mps: float | None  # none: no impact detected
    load: float | None  # largest fraction of a limit of the measured torques [-]
    depth_m: float  # of the nail after it, in the plant
    stopped_by: str | None


def strike_with_the_fake_arm(tool: Path, target: Path | None, *, as_json: bool) -> int:
    """Strike three times with the tool of a file, at the speed that plan and thresholds allow.

    The fake arm's tool and nail are the middle of the announced ranges.

    Returns:
        the exit status: 0 if no strike stopped the arm.

    Raises:
        ImpactError: no libfranka, an entry of the files is wrong, or no strike is safe.
    """
    libfranka()  # raises if it is missing
    made = _Strikes(tool, target or tool)
    progress = Progress("plan")
    observed = made.planned()
    progress.close(f"{observed.speed:.3f} m/s of {made.plan.highest:.3f} m/s")
    with FakeProcess(made.setup(observed.speed)) as fake:
        found = made.strikes(fake, observed)
        seen = observed_peaks(made.order.arm(made.robot), fake.log)
        thresholds = fake.highest_thresholds
    document = {
        "planned_speed_mps": made.plan.highest,
        "speed_mps": observed.speed,
        "observed_torque_nm": seen.torque,
        "torque_thresholds_nm": thresholds[0],
        "strikes": [vars(each) for each in found],
    }
    print(json_text(plain(document)) if as_json else _text(document, found))
    return int(any(each.stopped_by for each in found))


class _Strikes:
    """Plan, fake arm and strikes of a tool and a target."""

    def __init__(self, tool: Path, target: Path) -> None:
        self._tool, self._target = read_tool(tool), read_target(target)
        self.robot = load_fr3()
        arm = StrikeOrder(self._tool, self._target, POSE).arm(self.robot)
        at = ArmDynamics(arm)(np.array(POSE), np.zeros(arm.dof))
        self._direction, self._place = at.rotation[:, 2], at.position
        start = inverse_kinematics(arm, np.array(POSE), -RUN_UP * self._direction)
        self.order = StrikeOrder(self._tool, self._target, tuple(start.tolist()))

    def planned(self) -> ObservedStrike:
        """Plan the strike, and return the speed that the arm's thresholds allow.

        Raises:
            PredictionError: none is safe.
        """
        self.plan = plan_strike(self.robot, self._tool, self._target, np.array(POSE))
        self._settings = ArmSettings(realtime=False, raise_thresholds=True)
        series = self._series()
        fastest = series.approach(0.0).fastest
        highest = min(self.plan.speed, fastest) if self.plan.safe else 0.0
        return observed_strike(self.plan, self._settings, highest=highest)

    def setup(self, speed: float) -> StrikeSetup:
        """Return the fake arm."""
        case = StrikeCase(self._tool.nominal, middle_surface(self._target))
        place, normal = self._place.tolist(), (-self._direction).tolist()
        return StrikeSetup(self._tool, case, self.order.start, tuple(place), tuple(normal), speed)

    def strikes(self, fake: FakeProcess, observed: ObservedStrike) -> list[FakeStrike]:
        """Strike, until the arm stops itself or all strikes are made."""
        series, found = self._series(), list[FakeStrike]()
        for number in range(1, STRIKES + 1):
            plan = self._at(series.depth, observed.speed)
            job = HitJob(fake.address, plan, self._settings, need=observed.need, strike=self.order)
            progress = Progress(f"strike {number} of {STRIKES}")
            outcome = run_hit(job, start_of_lockstep)
            progress.close(ending(outcome))
            if not outcome.controlled:
                raise DriverError(f"strike {number}: {outcome.refusal or outcome.fault}")
            found.append(self._struck(outcome, series, plan, fake.sunk))
            if found[-1].stopped_by:
                break
        return found

    def _struck(
        self, outcome: HitOutcome, series: StrikeSeries, plan: Plan, depth: float
    ) -> FakeStrike:
        """Return what came of a strike, and let the series know where it met the nail."""
        assert plan.strike is not None  # of each
        stopped = outcome.fault or outcome.refusal or None
        cycles = outcome.controlled
        hits = [each.detection.impact_time for each in cycles if each.detection is not None]
        if not hits:
            return FakeStrike(plan.strike, None, None, depth, stopped)
        began = cycles[0].time
        columns = ([getattr(each, name) for each in cycles] for name in ("q", "dq", "tau"))
        times = 1e-9 * np.array([each.time - began for each in cycles])
        rows, contact = StrikeRows(times, *map(np.array, columns)), 1e-9 * (hits[0] - began)
        series.found(rows, contact)
        load = measured_use(self.plan.striker, rows.tap(contact, 0.0))
        answer = cycles[max(0, int(np.searchsorted(times, contact)) - 1)].answer
        speed = None if answer is None else -answer.normal_speed
        return FakeStrike(plan.strike, speed, load, depth, stopped)

    def _series(self) -> StrikeSeries:
        arm = self.order.arm(self.robot)
        start = ArmDynamics(arm)(np.array(self.order.start), np.zeros(arm.dof))
        return self.order.task(self.robot).series(self._at(0.0, None), arm, start)

    def _at(self, depth: float, speed: float | None) -> Plan:
        """Return the plan of a strike on the nail at a depth [m]."""
        stop = self._target.stop or ANY_STOP
        place = self._place + depth * self._direction
        contact = Contact(place, -self._direction, self._target.friction, stop.restitution)
        contact = replace(contact, stiffness=stop.stiffness)
        return Plan(contact, LIMITS, speed_cap=CAP, retract_speed=RETURN_SPEED, strike=speed)


def _text(document: dict[str, Any], found: list[FakeStrike]) -> str:
    """Return a line per strike."""
    lines = [["strike", "planned m/s", "contact m/s", "load", "depth mm", "ended by"]]
    for number, each in enumerate(found, 1):
        seen = (
            "-" if x is None else f"{x:.{k}f}"
            for x, k in ((each.contact_speed_mps, 3), (each.load, 2))
        )
        lines.append(
            [
                str(number),
                f"{each.speed_mps:.3f}",
                *seen,
                f"{1e3 * each.depth_m:.1f}",
                each.stopped_by or "the controller",
            ]
        )
    used = np.max(document["observed_torque_nm"] / document["torque_thresholds_nm"])
    return "\n".join(
        [
            *aligned(lines, left=(-1,)),
            f"plan {document['planned_speed_mps']:.3f} m/s; thresholds that still stop a joint"
            f" within its range allow {document['speed_mps']:.3f} m/s; observed up to {used:.0%}",
        ]
    )
