# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Tells ament_copyright that an SPDX line is a license; setup.py registers it as a plugin of it."""

from __future__ import annotations

from typing import NamedTuple


class License(NamedTuple):
    """Attributes of a license that ament_copyright reads; it has no base class."""

    name: str
    spdx: str
    file_headers: list[str]  # template of the comment at the top of a file
    license_files: list[str]
    contributing_files: list[str]


SPDX = License(
    name="Apache-2.0, by SPDX line",
    spdx="Apache-2.0",
    file_headers=["{copyright}\nSPDX-License-Identifier: Apache-2.0"],
    license_files=[],
    contributing_files=[],
)
