# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Whatever arrives at detector, predictor and plant, they go on; a short run of the campaign."""

import pytest

pytest.importorskip("rclpy")


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("seed", [0, 1])
def test_odd_messages_end_nothing(project_root, monkeypatch, seed):
    folder = project_root / "benchmarks"
    if not folder.is_dir():
        pytest.skip("the benchmarks are in a checkout only")
    monkeypatch.syspath_prepend(str(folder))
    from odd_messages import campaign

    assert campaign(2000, seed) == (2000, 0, [])
