# SPDX-License-Identifier: Apache-2.0
"""Starts the checkout's entry point: ``./impact`` runs this directory with no site packages."""

import os
import sys

from impact_setup.cli import main

sys.exit(main(sys.argv[1:], dict(os.environ)))
