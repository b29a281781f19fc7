# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Starts the checkout's entry point: ``./impact`` runs this directory with no site packages."""

import signal

HANDLER = signal.getsignal(signal.SIGINT)
if HANDLER is signal.default_int_handler:  # Ctrl-C within the imports: end, without a traceback
    signal.signal(signal.SIGINT, signal.SIG_DFL)

import os  # noqa: E402
import sys  # noqa: E402

from impact_setup.cli import main  # noqa: E402

signal.signal(signal.SIGINT, HANDLER)
sys.exit(main(sys.argv[1:], dict(os.environ)))
