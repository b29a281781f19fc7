# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A choice of a user's own, in its registry for one test."""

from contextlib import ExitStack

import pytest


@pytest.fixture
def registered():
    """A function that puts an entry into a registry; after the test it is gone."""
    with ExitStack() as stack:

        def put(registry, entry):
            registry.register(entry)
            stack.callback(registry.remove, entry.name)
            return entry

        yield put
