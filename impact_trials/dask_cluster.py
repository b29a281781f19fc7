# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Work for a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from impact_robots.exceptions import UsageError


def on_dask(
    work: Callable[..., Any], arguments: Sequence[tuple[Any, ...]], address: str
) -> Iterator[Any]:
    """Yield ``work(*each)`` for each of ``arguments`` as it is finished.

    Args:
        work: of a module that the cluster has too.
        arguments: of each piece of work.
        address: of the scheduler.

    Raises:
        UsageError: the package distributed is missing, or there is no scheduler.
    """
    try:
        from distributed import Client
        from distributed import as_completed as as_done
    except ImportError:
        raise UsageError(
            "--dask: expected the package distributed: pip install distributed"
        ) from None
    try:
        client = Client(address, timeout="5s")
    except (OSError, ValueError) as error:
        raise UsageError(f"--dask: no scheduler at {address!r}: {error}") from None
    with client:
        futures = [client.submit(work, *each, pure=False) for each in arguments]
        for future in as_done(futures):
            yield future.result()
