# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The load of a strike, and the first speed at which it uses up a limit."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np

from impact_predictor.exceptions import PredictionError
from impact_predictor.joint_load.load import JointLoad, LoadRun
from impact_predictor.strike.strike_case import CriticalStrike, NailCase, StopCase, StrikeCase
from impact_predictor.strike.striker import Striker

FINE, COARSE = 2, 1  # refinement of the steps: where the head chatters the first critical speed is
# off by up to 0.2 % and by up to 0.4 % [-]
TOP = 20.0  # speed up to which a limit is looked for [m/s]
LEAST, MOST = 1.02, 1.5  # of a step towards the first crossing over the speed before [-]
CLOSE = 1e-4  # of a speed, to which the first crossing is found [-]


class StrikeLoads:
    """Loads of strikes at one configuration."""

    def __init__(
        self, striker: Striker, window: float | None = None, *, refinement: int = FINE
    ) -> None:
        """Set up.

        Args:
            striker: arm and tool.
            window: time within which loads count [s]; none: that of the tool.
            refinement: of the integration's steps, :data:`FINE` or :data:`COARSE`.
        """
        self.striker, self._refinement = striker, refinement
        self._window = striker.window if window is None else window

    def run(
        self, case: StrikeCase, speed: float, duration: float, *, with_history: bool = False
    ) -> LoadRun:
        """Return the motion of a strike, for callers that need more than the load."""
        contact = self.striker.contact(case.tool, case.off)
        contact = contact._replace(
            velocity=speed * contact.velocity,
            law=case.surface.law(speed * case.off.approach),
            friction=case.friction,
        )
        arm = self.striker.arm(case.tool, case.scale)
        return LoadRun(
            arm,
            [contact],
            duration=duration,
            refinement=self._refinement,
            with_history=with_history,
        )

    def history(self, case: StrikeCase, speed: float, duration: float) -> np.ndarray:
        """Return the changes of the torques once a tick, the handle's last, (t, n + 1) [N.m]."""
        run = self.run(case, speed, duration, with_history=True)
        run.go_on()
        history = run.load().history
        assert history is not None  # by with_history
        return history.load

    def used(self, case: StrikeCase, speed: float) -> np.ndarray:
        """Return the used fraction of each limit at a speed, see :class:`LoadLimits` [-]."""
        return self._fractions(case, self._load(case, speed))

    def _load(self, case: StrikeCase, speed: float) -> JointLoad:
        """Return the load at a speed, the handle's last."""
        run = self.run(case, speed, self._window)
        run.go_on()
        return run.load()

    def _fractions(self, case: StrikeCase, load: JointLoad) -> np.ndarray:
        return self.striker.limits(case.tool.mass).used(self.striker.joints_of(load))

    def critical(self, case: StrikeCase, above: float = TOP) -> CriticalStrike:
        """Return the first speed at which a limit is used up; infinite if not up to one [m/s].

        At a stop loads are proportional to the speed. A nail bounces like a spring until it
        yields, then gives way: its loads are not monotonic, so the speed is raised step by step,
        by no more than a load that is proportional to the speed leaves of the limits.
        """
        if isinstance(case.surface, StopCase):
            used = self.used(case, 1.0)
            limit = int(used.argmax())
            return CriticalStrike(case, 1.0 / used[limit] if used[limit] > 0.0 else np.inf, limit)
        return self._first(case, case.surface, above)

    def _first(self, case: StrikeCase, nail: NailCase, above: float) -> CriticalStrike:
        """Return the first crossing of a nail."""
        spring = self._load(case._replace(surface=StopCase(nail.stiffness, 1.0)), 1.0)
        speed = nail.law().resistance / float(spring.peak_force[0])  # up to it nothing yields
        used = speed * self._fractions(case, spring)  # proportional to the speed
        if (most := float(used.max())) >= 1.0:
            return CriticalStrike(case, speed / most, int(used.argmax()))
        while most < 1.0:
            if speed >= above:
                return CriticalStrike(case, np.inf, int(used.argmax()))
            low = speed
            speed = min(above, speed * min(MOST, max(LEAST, 0.8 / max(most, 1e-9))))
            used = self.used(case, speed)
            most = float(used.max())
        from scipy.optimize import brentq  # loads slowly

        rest = partial(self._beyond, case)
        first = float(brentq(rest, low, speed, xtol=CLOSE * speed))
        return CriticalStrike(case, first, int(self.used(case, first).argmax()))

    def _beyond(self, case: StrikeCase, speed: float) -> float:
        return float(self.used(case, speed).max()) - 1.0

    def lowest(
        self, cases: Iterable[StrikeCase], known: CriticalStrike | None = None
    ) -> CriticalStrike:
        """Return the case whose first critical speed is the lowest, the first of equal ones.

        Args:
            cases: to examine, stops first.
            known: one that was examined.

        Raises:
            PredictionError: there are none.
        """
        found = known
        for case in sorted(cases, key=lambda each: isinstance(each.surface, NailCase)):
            one = self.critical(case, TOP if found is None else min(TOP, found.speed))
            if found is None or one.speed < found.speed:
                found = one
        if found is None:
            raise PredictionError("strike: expected at least one case, got none")
        return found
