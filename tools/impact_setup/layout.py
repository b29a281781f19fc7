# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Where the set-up keeps what it makes."""

from dataclasses import dataclass
from pathlib import Path

MESSAGES = "impact_msgs"
SUITE = "impact_control"


@dataclass(frozen=True)
class Layout:
    """The checkout and the places in it that the set-up writes to.

    Attributes:
        root: The repository's root, which is the colcon workspace too.
    """

    root: Path

    @property
    def venv(self) -> Path:
        """The virtual environment."""
        return self.root / ".venv"

    @property
    def python(self) -> Path:
        """The virtual environment's interpreter."""
        return self.venv / "bin" / "python"

    @property
    def requirements(self) -> Path:
        """The file with every pinned version."""
        return self.root / "requirements.txt"

    @property
    def state(self) -> Path:
        """The set-up's own folder: lock, log, cached environment."""
        return self.root / ".setup"

    @property
    def log(self) -> Path:
        """The file that pip's and colcon's output goes to."""
        return self.state / "setup.log"

    @property
    def messages_log(self) -> Path:
        """The file that the output of building the messages goes to."""
        return self.state / "messages.log"

    @property
    def lock(self) -> Path:
        """The file that one set-up at a time holds locked."""
        return self.state / "lock"

    @property
    def environment(self) -> Path:
        """The cached variables of the built workspace."""
        return self.state / "environment.json"

    @property
    def sphinx(self) -> Path:
        """The folder with what builds the documentation."""
        return self.state / "sphinx"

    @property
    def dist(self) -> Path:
        """The folder of the wheels."""
        return self.root / "dist"

    @property
    def scratch(self) -> Path:
        """The folder that wheels are built in."""
        return self.state / "wheels"

    @property
    def venv_stamp(self) -> Path:
        """Says which virtual environment and which requirements are complete."""
        return self.venv / "impact-setup.json"

    def build(self, package: str) -> Path:
        """Return the build folder of a colcon package."""
        return self.root / "build" / package

    def install(self, package: str) -> Path:
        """Return the install folder of a colcon package."""
        return self.root / "install" / package

    def package_stamp(self, package: str) -> Path:
        """Return the file that says which sources of a package are built."""
        return self.install(package) / "impact-setup.json"
