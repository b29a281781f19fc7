# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The demo's viewer, or a placeholder that shows nothing."""

from __future__ import annotations

import argparse
import contextlib
from typing import Protocol

from impact_bags.writing.writer import Tap


class Viewer(Protocol):
    """A viewer of the current run."""

    @property
    def tap(self) -> Tap | None:
        """Callback for each recorded message, None without a viewer."""

    def begin(self, label: str) -> None:
        """Start a new run."""

    def watch(self) -> None:
        """Wait until the user ends the viewer."""


class _NoViewer:
    """The placeholder."""

    tap: Tap | None = None

    def begin(self, label: str) -> None:
        """Do nothing."""

    def watch(self) -> None:
        """Return at once."""


def demo_viewer(
    arguments: argparse.Namespace, robot: str
) -> contextlib.AbstractContextManager[Viewer]:
    """Return the viewer that the options select, for the named robot.

    Raises:
        ViewError: the port is taken.
    """
    if not arguments.view:
        return contextlib.nullcontext(_NoViewer())
    from impact_view.live_feed import LiveFeed

    return LiveFeed(robot, arguments.port, browser=not arguments.no_browser)
