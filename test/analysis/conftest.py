# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What the tests of analyses share."""

import pytest


@pytest.fixture
def without_contact_laws(monkeypatch):
    """Fit no contact laws to forces: it takes half a second an impact, and not every test asks."""
    monkeypatch.setattr("impact_analysis.analyze.comparing.judge.MOST_FITTED", 0)
