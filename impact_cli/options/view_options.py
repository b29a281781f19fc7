# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Options of commands that show a page in the browser."""

from __future__ import annotations

import argparse
from typing import Any

PORT = 8080


def add_view_options(add: Any) -> None:
    """Add the options with an argparse parser's ``add_argument``."""
    add("--port", type=port, default=PORT, metavar="N", help=f"port of the page (default: {PORT})")
    add("--no-browser", action="store_true", help="serve the page without opening a browser")


def port(text: str) -> int:
    """Return a TCP port.

    Raises:
        ArgumentTypeError: it is no integer from 1 to 65535.
    """
    if not (text.isdecimal() and 1 <= int(text) <= 65535):
        raise argparse.ArgumentTypeError(f"expected a port from 1 to 65535, got {text!r}")
    return int(text)
