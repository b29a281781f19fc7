# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A separate DDS domain, so that two experiments on one machine do not interfere."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Iterator

from impact_ros.exceptions import RosError

DOMAINS = range(215, 233)  # above the domains of test tools, with otherwise unused ports
HIGHEST_DOMAIN = 232  # the highest one with valid ports of DDS
FIRST_PORT = 24_500  # a bound local port marks its domain as taken


@contextlib.contextmanager
def own_domain() -> Iterator[int]:
    """Set ROS_DOMAIN_ID to a domain that no other process of this suite uses on this machine.

    A domain set by the user is not changed. Nodes and processes started inside inherit it.

    Yields:
        The domain.

    Raises:
        RosError: All domains are taken, or the user's is invalid.
    """
    if given := os.environ.get("ROS_DOMAIN_ID"):
        yield _checked(given)
        return
    with free_domain() as domain:
        os.environ["ROS_DOMAIN_ID"] = str(domain)
        try:
            yield domain
        finally:
            del os.environ["ROS_DOMAIN_ID"]


@contextlib.contextmanager
def free_domain() -> Iterator[int]:
    """Reserve a domain that no other process of this suite uses on this machine; nothing is set.

    Yields:
        The domain.

    Raises:
        RosError: All domains are taken.
    """
    with contextlib.closing(socket.socket()) as reservation:
        yield _reserve(reservation)


def _checked(given: str) -> int:
    """Return the domain that the user has set."""
    if not given.isdecimal() or int(given) > HIGHEST_DOMAIN:
        raise RosError(
            f"ROS_DOMAIN_ID: expected a number from 0 to {HIGHEST_DOMAIN}, got {given!r}"
        )
    return int(given)


def _reserve(reservation: socket.socket) -> int:
    """Bind the first free port and return its domain."""
    for domain in DOMAINS:
        with contextlib.suppress(OSError):
            reservation.bind(("127.0.0.1", FIRST_PORT + domain))
            return domain
    raise RosError(f"no free DDS domain: {len(DOMAINS)} experiments run on this machine")
