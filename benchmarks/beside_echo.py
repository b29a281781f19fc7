# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Nodes under test and a node that echoes, as processes of a DDS domain of their own."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml
from predictor_service import importable

from impact_bringup.experiments.child import child_process
from impact_bringup.experiments.domain import own_domain


@contextmanager
def beside_echo(module: str, settings: Mapping[str, Any], echo: Sequence[str]) -> Iterator[None]:
    """Let a module's nodes run beside an echo.

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
            child_process(module, arguments, log / "nodes.log"),
            child_process(echo[0], list(echo[1:]), log / "echo.log"),
        ):
            yield
