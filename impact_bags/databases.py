# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""rosbags' databases of SQLite, in folders of any name.

rosbags opens them by URIs in which it leaves ``#``, ``?`` and ``%`` of the path as they are.
"""

from __future__ import annotations

from pathlib import Path

from rosbags.interfaces.typing import RPath
from rosbags.rosbag2.enums import CompressionMode
from rosbags.rosbag2.storage_sqlite3 import Sqlite3Reader, Sqlite3Writer

_QUOTED = str.maketrans({each: f"%{ord(each):X}" for each in "#?%"})


class DatabaseReader(Sqlite3Reader):
    """Reads a database."""

    def open(self) -> None:
        """Open the database."""
        path, self.path = self.path, _quoted(self.path)
        try:
            super().open()
        finally:
            self.path = path


class DatabaseWriter(Sqlite3Writer):
    """Writes a database."""

    def __init__(self, path: Path, compression: CompressionMode) -> None:
        """Make the database in a folder, named after it."""
        super().__init__(_quoted(path), compression)
        self.path = path / f"{path.name}.db3"


def _quoted(path: RPath) -> Path:
    """Return a path as a URI has it."""
    return Path(str(path).translate(_QUOTED))
