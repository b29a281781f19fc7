# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The demo's viewer, or none."""

from __future__ import annotations

import argparse
import contextlib
from typing import Protocol

from impact_bags.writing.writer import Tap


class Viewer(Protocol):
    """Shows runs while they are made."""

    @property
    def tap(self) -> Tap | None:
        """What gets each message that is recorded."""

    def begin(self, label: str) -> None:
        """Say that a run begins."""

    def watch(self) -> None:
        """Wait until the user has seen enough."""


class _NoViewer:
    """Shows nothing."""

    tap: Tap | None = None

    def begin(self, label: str) -> None:
        """Say nothing."""

    def watch(self) -> None:
        """Wait for nothing."""


def demo_viewer(
    arguments: argparse.Namespace, robot: str
) -> contextlib.AbstractContextManager[Viewer]:
    """Return what the options ask for, of a robot of that name.

    Raises:
        ViewError: the port is taken.
    """
    if not arguments.view:
        return contextlib.nullcontext(_NoViewer())
    from impact_view.live_feed import LiveFeed

    return LiveFeed(robot, arguments.port, browser=not arguments.no_browser)
