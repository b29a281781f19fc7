# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Options of whatever shows something in the browser."""

from __future__ import annotations

import argparse
from typing import Any

PORT = 8080


def add_view_options(add: Any) -> None:
    """Add the options by an argparse parser's ``add_argument``."""
    add("--port", type=port, default=PORT, metavar="N", help=f"of the page (default: {PORT})")
    add("--no-browser", action="store_true", help="serve the page, open no browser")


def port(text: str) -> int:
    """Return a number of a TCP port.

    Raises:
        ArgumentTypeError: it is none.
    """
    if not (text.isdecimal() and 1 <= int(text) <= 65535):
        raise argparse.ArgumentTypeError(f"expected a port from 1 to 65535, got {text!r}")
    return int(text)
