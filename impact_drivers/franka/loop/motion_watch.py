# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What stops a motion although the arm itself would go on."""

from __future__ import annotations

from impact_drivers.franka.arm.settings import ArmSettings

NANOSECONDS = 1_000_000_000


class MotionWatch:
    """Looks at each state of one motion; time is that of the arm [ns]."""

    def __init__(self, settings: ArmSettings) -> None:
        """Watch by these settings."""
        self._settings = settings
        self._beats: int | None = None
        self._heard = 0  # when the node was heard last [ns]

    def problem(self, time: int, period: int, beats: int, *, approaching: bool) -> str:
        """Return why the arm must brake, "" if it need not.

        Args:
            time: of the state [ns].
            period: since the state before [ns].
            beats: how often the node has said that it lives.
            approaching: the arm is on its way to a surface.
        """
        if beats != self._beats:
            self._beats, self._heard = beats, time
        silent, limits = (time - self._heard) / NANOSECONDS, self._settings
        if silent > limits.deadman:
            return f"deadman: the node has said nothing for {silent:.3f} s"
        apart = period / NANOSECONDS
        if approaching and apart > limits.longest_period + 1e-9:
            return (
                f"states {apart * 1e3:.0f} ms apart while approaching"
                f" (longest_period {limits.longest_period * 1e3:g} ms)"
            )
        return ""

    def refusal(self, success_rate: float) -> str:
        """Return why no approach may begin, "" if it may.

        Args:
            success_rate: share of the last 100 commands that have reached the arm.
        """
        least = self._settings.least_success_rate
        if success_rate > least:
            return ""
        return f"success rate {success_rate:.2f}, expected above {least:g} before an approach"
