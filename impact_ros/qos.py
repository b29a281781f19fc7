# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Quality of service: four profiles and the reason for each."""

from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy


def _profile(depth: int, *, reliable: bool, latched: bool = False) -> QoSProfile:
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=depth,
        reliability=ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE,
    )


# Subscribe to measurements: best effort matches every publisher, reliable ones too, and with depth
# one a slow node answers the newest state, never an old one.
SENSOR = _profile(1, reliable=False)

# Publish states, commands and statistics: reliable matches every subscription, and depth one never
# queues outdated samples. A lockstep simulation waits for each sample, so it loses none.
STREAM = _profile(1, reliable=True)

# Subscribe to a stream when each sample must arrive, as both sides of a lockstep simulation do.
LOCKSTEP = STREAM

# Publish (and subscribe to) events, descriptions and configuration: late subscribers still receive
# the last ten. Discovery takes seconds, so an event that is not stored may be lost.
LATCHED = _profile(10, reliable=True, latched=True)

# Subscribe to record: deep enough for a second of a 1 kHz stream while the disk is busy. Reliable,
# so nothing is lost; a publisher that only offers best effort needs RECORD_BEST_EFFORT.
RECORD = _profile(2000, reliable=True)
RECORD_LATCHED = _profile(2000, reliable=True, latched=True)
RECORD_BEST_EFFORT = _profile(2000, reliable=False)


def recording_profile(offered: list[QoSProfile]) -> QoSProfile:
    """Choose how to record a topic, from what its publishers offer.

    Args:
        offered: Profile of each publisher of the topic.

    Returns:
        The strongest profile that every one of them can serve.
    """
    if any(profile.reliability != ReliabilityPolicy.RELIABLE for profile in offered):
        return RECORD_BEST_EFFORT
    latched = bool(offered) and all(
        profile.durability == DurabilityPolicy.TRANSIENT_LOCAL for profile in offered
    )
    return RECORD_LATCHED if latched else RECORD
