# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The option ``--dask`` of every command whose work a cluster can do."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

HELP = "work on a Dask cluster instead: its scheduler's address, or its scheduler file"


def add_cluster_option(add: Callable[..., Any], text: str = HELP) -> None:
    """Add ``--dask`` by a parser's ``add_argument``, with a text of help."""
    add("--dask", default="", metavar="ADDRESS", help=text)


def given_cluster(arguments: argparse.Namespace) -> AbstractContextManager[None]:
    """Return the context of a command's work: the cluster that it names, if it names one."""
    address = getattr(arguments, "dask", "")
    if not address:
        return nullcontext()
    from impact_trials.processes import on_cluster  # loads slowly

    return on_cluster(address)
