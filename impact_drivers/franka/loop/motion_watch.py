# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Stop conditions of a motion besides those of the arm itself."""

from __future__ import annotations

from impact_drivers.franka.arm.arm_state import ArmState
from impact_drivers.franka.arm.settings import ArmSettings
from impact_qp.control.phases import Phase

NANOSECONDS = 1_000_000_000
COMMANDS = 100  # in the window of the arm's success rate
LONGEST_STOP = 3 * NANOSECONDS  # within which the arm must stop [ns]


class MotionWatch:
    """Checks each state of one motion; time is that of the arm [ns]."""

    def __init__(self, settings: ArmSettings) -> None:
        """Watch by these settings."""
        self._settings = settings
        self._beats: int | None = None
        self._heard = 0  # time of the node's last beat [ns]
        self._states = self._few = 0  # so far; of them in a row with too low a success rate
        self._braking: int | None = None  # since when [ns]

    def problem(self, time: int, state: ArmState, beats: int, phase: Phase) -> str:
        """Return why the arm must brake, "" if it need not.

        Args:
            time: of the state [ns].
            state: of the arm.
            beats: deadman counter of the node.
            phase: of the previous answer.
        """
        if beats != self._beats:
            self._beats, self._heard = beats, time
        silent, limits = (time - self._heard) / NANOSECONDS, self._settings
        if silent > limits.deadman:
            return f"deadman: the node has been silent for {silent:.3f} s"
        apart = state.period / NANOSECONDS
        if phase is Phase.APPROACH and apart > limits.longest_period + 1e-9:
            return (
                f"states {apart * 1e3:.0f} ms apart while approaching"
                f" (longest_period {limits.longest_period * 1e3:g} ms)"
            )
        return self._losing(state.success_rate, phase) or self._moving_on(time, phase)

    def _losing(self, success_rate: float, phase: Phase) -> str:
        """Return the fault of too few commands reaching a moving arm, "" if enough do."""
        self._states += 1
        lost = self.counts and phase is not Phase.HOLD and not self._is_enough(success_rate)
        self._few = self._few + 1 if lost else 0
        if self._few < self._settings.success_cycles:
            return ""
        return (
            f"success rate {success_rate:.2f} for {self._few} cycles, expected above"
            f" {self._settings.least_success_rate:g}"
        )

    def _moving_on(self, time: int, phase: Phase) -> str:
        """Return why braking takes too long, "" if it does not."""
        if phase is not Phase.BRAKE or self._braking is None:
            self._braking = time if phase is Phase.BRAKE else None
            return ""
        braking = time - self._braking
        if braking <= LONGEST_STOP:
            return ""
        return f"the arm still moves {braking / NANOSECONDS:.1f} s after it began to brake"

    @property
    def counts(self) -> bool:
        """Whether enough commands were sent for a full window of the success rate."""
        return self._states > COMMANDS

    def refusal(self, success_rate: float) -> str:
        """Return why no approach may begin, "" if it may.

        Args:
            success_rate: fraction of the last 100 commands that have reached the arm.
        """
        if self._is_enough(success_rate):
            return ""
        least = self._settings.least_success_rate
        return f"success rate {success_rate:.2f}, expected above {least:g} before an approach"

    def _is_enough(self, success_rate: float) -> bool:
        return success_rate > self._settings.least_success_rate
