# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Controller, detector and predictor in one process, which reduces the latency 2 to 5 times.

The controller is added first, so that its callbacks run first. The predictor's services may take
seconds; it has its own thread.
"""

import sys

from impact_bringup import entry
from impact_detector.node import DetectorNode
from impact_predictor.node import PredictorNode
from impact_qp.node import ImpactQpNode
from impact_ros.node.main import main_for

main = main_for(ImpactQpNode, DetectorNode, name="suite", beside=(PredictorNode,))

if __name__ == "__main__":
    sys.exit(entry.suite())  # as the console script
