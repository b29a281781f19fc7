# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The command line: ``impact COMMAND``, also ``python -m impact_cli COMMAND``."""

import sys

from impact_ros.interrupts import deferred_interrupts

INTERRUPTED = 130


def main() -> int:
    """Run a command; Ctrl-C is one line, also while everything is still being imported."""
    try:
        with deferred_interrupts():
            from impact_ros.standard_streams import fill_closed_streams  # imports numpy

            fill_closed_streams()
            from impact_cli.command_line import run
        return run()
    except KeyboardInterrupt:
        print("impact: interrupted", file=sys.stderr)
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
