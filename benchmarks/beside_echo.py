# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Nodes under test and a node that echoes, as processes of a DDS domain of their own."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml
from predictor_service import importable

from impact_bringup.experiments.child import child_process
from impact_bringup.experiments.domain import own_domain


@contextmanager
def beside_echo(module: str, settings: Mapping[str, Any], echo: Sequence[str]) -> Iterator[None]:
    """Let a module's nodes run beside an echo; this process has a core of its own, if there is one.

    On shared cores an ordinary scheduler lets a process that a message wakes wait, now and then,
    until its sender has nothing left to do: that of a driver is of this process, not of the nodes.

    Args:
        module: that is run.
        settings: ROS parameters by node.
        echo: module of the benchmarks that is the echo, and its arguments.
    """
    parameters = {name: {"ros__parameters": dict(own)} for name, own in settings.items()}
    with own_domain(), tempfile.TemporaryDirectory() as folder, importable():
        log = Path(folder)
        (log / "nodes.yaml").write_text(yaml.safe_dump(parameters))
        arguments = ["--ros-args", "--params-file", str(log / "nodes.yaml")]
        with (
            _cores() as take_own,
            child_process(module, arguments, log / "nodes.log"),
            child_process(echo[0], list(echo[1:]), log / "echo.log"),
        ):
            take_own()
            yield


@contextmanager
def _cores() -> Iterator[Callable[[], None]]:
    """Leave all cores but the first to processes that begin; yield what takes the first."""
    every = os.sched_getaffinity(0)
    own = {min(every)}
    os.sched_setaffinity(0, every - own or every)
    try:
        yield lambda: os.sched_setaffinity(0, own)
    finally:
        os.sched_setaffinity(0, every)
