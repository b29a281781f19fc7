# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What can go wrong in the set-up, each said in one line."""


class SetupError(Exception):
    """The set-up cannot go on; its text is the one line that the user reads."""


class UsageError(Exception):
    """The command line is wrong; its text says what was expected and what was got."""
