# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Who may open the viewer's websocket: pages of this machine, not any page that a browser shows.

A browser lets every page connect to 127.0.0.1, and says in the header Origin which one it is.
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
    """Return why a websocket may not be opened, "" if it may.

    Args:
        origin: header of the request; none: its sender is no browser.
    """
    try:
        host = None if origin is None else urlsplit(origin).hostname
    except ValueError:  # brackets of no address
        host = ""
    if origin is None or host in HERE:
        return ""
    return f"impact view: expected a page of {', '.join(HERE)}, got one of {origin[:200]!r}"


@contextlib.contextmanager
def pages_of_this_machine() -> Iterator[None]:
    """Let what is served within refuse websockets of other machines' pages, each in one line.

    Viser hands no such option to the library that serves it.
    """
    from websockets.asyncio import server  # loads slowly

    plain = server.serve

    def serve(*args: Any, process_request: Callable[..., Any] | None = None, **options: Any) -> Any:
        return plain(*args, process_request=_guarded(process_request), **options)

    server.serve = serve  # type: ignore[assignment,misc]
    try:
        yield
    finally:
        server.serve = plain  # type: ignore[misc]


def _guarded(answer: Callable[..., Any] | None) -> Callable[..., Any]:
    """Return what answers a request as ``answer`` does, once its origin is accepted."""

    def guarded(connection: Any, request: Any) -> Any:
        if refusal := origin_refusal(request.headers.get("Origin")):
            print(refusal, file=sys.stderr)
            return connection.respond(http.HTTPStatus.FORBIDDEN, refusal + "\n")
        return None if answer is None else answer(connection, request)

    return guarded
