# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The Franka loop's process with the fake arm in it: `python -m direct_loop MEMORY NODE`."""

import sys
import time

from direct_arm import DirectArm

from impact_drivers.fake_fr3.fake_setup import FakeSetup
from impact_drivers.fake_fr3.faults import Faults
from impact_drivers.franka.loop_main import main

PERIOD = 2e-3  # between two states, which are 1 ms apart by the arm's clock [s]
FAULTS = {  # by the address of the arm
    "sound": Faults(),
    "stopped": Faults(errors_at_connect=("joint_reflex",)),
    "button": Faults(user_stop=200),
    "deaf": Faults(lose_from=200, lose_count=21),
    "blind": Faults(nan_from=200, nan_count=50),
}


class PacedArm(DirectArm):
    """One whose clock is slower than the node's: both processes keep up on a busy machine."""

    due = 0.0  # when the next state may be read [s of a monotonic clock]

    def look(self):
        self.wait()
        return super().look()

    def read(self):
        self.wait()
        return super().read()

    def wait(self):
        time.sleep(max(0.0, self.due - time.monotonic()))
        self.due = time.monotonic() + PERIOD


if __name__ == "__main__":
    sys.exit(main(lambda settings: PacedArm(FakeSetup(faults=FAULTS[settings.address]).arm())))
