# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Restricts access to the viewer's websocket to pages of this machine.

A browser lets every page connect to 127.0.0.1, and names the page in the header Origin.
"""

from __future__ import annotations

import contextlib
import http
import sys
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

HERE = ("127.0.0.1", "localhost", "::1")


def origin_refusal(origin: str | None) -> str:
    """Return why a websocket is refused, "" if it is accepted.

    Args:
        origin: header of the request; none: its sender is no browser.
    """
    try:
        host = None if origin is None else urlsplit(origin).hostname
    except ValueError:  # brackets that enclose no address
        host = ""
    if origin is None or host in HERE:
        return ""
    return f"impact view: expected a page of {', '.join(HERE)}, got one of {origin[:200]!r}"


@contextlib.contextmanager
def pages_of_this_machine() -> Iterator[None]:
    """Refuse websockets of other machines' pages within the block, each in one line.

    Viser does not pass such an option to its websocket library.
    """
    from websockets.asyncio import server  # loads slowly

    plain = server.serve

    def serve(*args: Any, process_request: Callable[..., Any] | None = None, **options: Any) -> Any:
        return plain(*args, process_request=_origin_checked(process_request), **options)

    server.serve = serve  # type: ignore[assignment,misc]
    try:
        yield
    finally:
        server.serve = plain  # type: ignore[misc]


def _origin_checked(answer: Callable[..., Any] | None) -> Callable[..., Any]:
    """Return a handler that answers like ``answer`` once the origin is accepted."""

    def checked(connection: Any, request: Any) -> Any:
        if refusal := origin_refusal(request.headers.get("Origin")):
            print(refusal, file=sys.stderr)
            return connection.respond(http.HTTPStatus.FORBIDDEN, refusal + "\n")
        return None if answer is None else answer(connection, request)

    return checked
