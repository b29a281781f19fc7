# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""``python -m impact_analysis COMMAND``, as it was typed before impact_cli was a package."""

import sys

from impact_cli.__main__ import main

if __name__ == "__main__":
    sys.exit(main())
