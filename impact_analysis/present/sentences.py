# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Every sentence of a report by its key: who checks reports against a truth compares keys."""

from __future__ import annotations

from impact_analysis.present.sentence import Sentence

_BEST = (
    "{model} explains the joint velocities after the impacts best: mean error {error} over all"
    " joints"
)
_NEXT = "{next} {worse} deg/s"

# Conclusions, from all recordings.
ANSWERS = {
    "cannot_tell": "Whether there was an impact in {where} cannot be determined: nothing could be"
    " judged.",
    "no_impact": "No impact was found in {where}{largest}{missed}.",
    "impacts": "{impacts} in {where}{speeds}.",
    "impacts_partly_compared": "{impacts} in {where}{speeds}; models can be compared with {usable}"
    " of them.",
    "best_model": f"{_BEST}.",
    "best_model_clear": f"{_BEST}; {_NEXT}, clearly worse.",
    "best_model_unclear": f"{_BEST}; {_NEXT}; these data do not tell the two apart.",
    "best_model_of_one": f"{_BEST}; {_NEXT}. One impact does not rank models: repeat it.",
    "friction": "Friction {value} explains them best (from {impacts}).{assumed}",
    "friction_contact": "Friction {value}: ratio of the impulses along the surface and out of it,"
    " of {impacts} whose contact point slides all through.{assumed}",
    "friction_at_bound": "Friction: the best fit is at the end of the range ({end}): not"
    " identified.",
    "friction_open": "Friction: {least} or more, not identified: for no impact the motion shows for"
    " sure that the contact point slides all through, and then any larger one may do the same.",
    "friction_agrees": "The assumed friction of {assumed} agrees with the data.",
    "friction_disagrees": "Friction {assumed} was assumed; {found} explains the data better.",
    "restitution": "Restitution {value} explains the velocities best.",
    "restitution_contact": "Restitution {value} at the contact point (mean of {impacts}).",
    "restitution_withheld": "Restitution: not identified. Impacts that show none of the contact"
    " alone: {reasons}.",
    "mass_differs": "In {count} of {known} impacts the effective mass along the normal, impulse"
    " over change of velocity, is not that of the model but {ratio} times it (median): payload,"
    " links or torque loop are not what the robot's YAML says, or the normal is another.",
    "set_holds": "No measured impulse is beyond the {source} set: of {count}, {strict} are in it"
    " and {weaker} are weaker than it (in its hull with zero).",
    "set_announced": "{worse} of {count} measured impulses exceed the set that was announced: there"
    " was more friction or restitution than the controller assumed, or more inertia than the"
    " composite rigid body's; announce more, or slow down.",
    "set_assumed": "{worse} of {count} measured impulses exceed the set of the assumed"
    " coefficients: friction, restitution or the inertia of the composite rigid body is assumed"
    " too low.",
    "set_identified": "{worse} of {count} measured impulses exceed the set of the coefficients that"
    " were identified from these impacts: friction or restitution was identified too low, or the"
    " composite rigid body has too little inertia. This says nothing about what a controller was"
    " told.",
    "torque_changes": "The largest changes of the joint torques within 30 ms of contact are as"
    " predicted: all {count} (one a joint, {impacts}) are between the predicted bounds, or outside"
    " by the sensors' noise at most.",
    "torque_changes_beyond": "{beyond} of {count} largest changes of joint torques within 30 ms of"
    " contact lie outside of the predicted bounds ({above} above, {below} below; furthest above:"
    " {worst}). So something that the prediction supposes does not hold: ranges of surface or"
    " joints, links, contact point, normal, or that the arm coasts for 30 ms.",
    "joints": "Joints: {known} of {figures} stiffnesses, dampings and motor inertias are known"
    " better than assumed ({hits}), dampings if the torque loop is that of the robot's YAML;"
    " joints.yaml has them.",
    "joints_contradicted": "Joints: outside of the range that the robot's YAML gives: {names}.",
    "surface": "Ranges of this surface for `plan`: {options}",
    "delays": "Detected {median} ms after contact that the force sensor saw (median; at most"
    " {most} ms).",
}
# What the data cannot answer, and anomalies in all of them.
WARNINGS = {
    "no_normal": "no surface normal is known for {impacts}: nothing can be predicted; give --normal"
    " x,y,z, or record the announcements of impact_qp",
    "several_surfaces": "the normals of the impacts differ by more than 2 degrees: coefficients and"
    " ranges are taken over all of them, as of one material; analyse different surfaces separately",
    "elsewhere": "{impacts} on {links}, which nobody had announced: not compared, as predictions"
    " are for the contact point",
    "not_approaching": "in {impacts} the contact point does not approach the surface: another point"
    " was hit, or the normal is wrong",
    "no_force_sensor": "no force sensor saw the impacts: detection delays, contact stiffness and"
    " damping cannot be determined",
    "joints_unexplained": "measured torques do not explain the motion of {joints} in the hits: no"
    " figures are identified there. As far as torques show the arm coasts in these hits; what is"
    " left is positions of the motors, late torques, friction of the motors, or joints that do not"
    " give way",
    "payload": "the joint torques before the impacts show a payload of {mass} [{low}, {high}] kg,"
    " {centre} mm from the contact point along its axes, and not {declared} kg as was declared: all"
    " that is said here counts with the measured one; declare it (payload in the robot's YAML, or"
    " --payload)",
    "payload_one_posture": "the arm was in one posture before the impacts: there a payload of {low}"
    " to {high} kg is not told from errors of torque sensors and joint friction ({declared} kg was"
    " declared); record hits in several postures",
    "not_as_announced": "{impacts} not as announced, see there",
    "few_repetitions": "fewer than 3 repetitions in {groups}: means and intervals are weak",
}
# Anomalies of one recording.
REMARKS = {
    "no_torques": "no joint torques: impacts are detected by acceleration alone, and neither link"
    " nor impulse can be determined from the joints",
    "slow_for_detector": "{too_slow}; here momentum judges, which misses more impacts and finds"
    " them later than at 1 kHz: what was not found may have been one",
    "damaged": "damaged: lost {lost}",
    "trouble": "the detector could not judge {when}: {reason}",
    "gaps": "gaps in the joint states: {count}, the longest {longest} s; impacts within them are"
    " lost",
    "jumps": "time jumps back {count} times, by up to {longest} s: what follows counts as a new"
    " recording",
    "milliseconds": "joint states come at {rate} Hz: are the stamps (time_s) in ms?",
    "repeated": "joint states with the stamp of the one before: {count}",
    "slow": "joint states come at {rate} Hz only: velocities before an impact and its time are"
    " uncertain below 500 Hz",
    "beyond_limits": "joint states are far beyond the limits of the robot's joints ({joint}): is it"
    " in degrees?",
    "not_finite": "{count} of {samples} joint states not finite, or without the robot's joints",
    "missed_force": "force peak of {size} N at {time} s, but no impact was reported: {reason}",
    "missed_push": "push of {size} N.m.s on one joint at {time} s that no joint torque explains,"
    " but no impact was reported: {reason}",
    "missed_jump": "velocity jump of {size} deg/s at {time} s, but no impact was reported:"
    " {reason}",
    "missed_statistic": "{detector} rose to {statistic} of {threshold} at {time} s, but no impact"
    " was reported: {reason}",
    "missed_more": "and {count} times more that an impact may have been missed",
}
# Anomalies of one impact.
NOTES = {
    "driven": "the arm is driven after the impact: from {start} to {end} ms after contact joint"
    " {joint} changes by {change} deg/s, with {torque} N.m more than joint friction and gravity"
    " compensation explain; velocities after it may be wrong, let it coast for 100 ms",
    "poor_fit": "the fit after the impact is poor: the arm was driven, or vibrates",
    "short_window": "samples are missing at an end of the window after the impact",
    "missing_samples": "too few samples in the window after the impact: the velocity after it is"
    " not known",
    "second_impact": "another impact was detected in the window: both are mixed",
    "undersampled": "the force sensor is too slow for the contact",
    "pushed": "the motors drove the arm during contact: they gave its contact point {share} % of"
    " the approach speed; its restitution is not that of the contact alone",
    "endless_contact": "neither joint torques nor motion show an end of the contact: it may be"
    " longer than the window after contact, or others follow; so no impulse and no restitution"
    " are given",
    "in_contact": "the arm stayed in contact for more than half of the window, or until its end",
    "second_contact": "another contact {time} ms after contact: both are mixed",
    "statistic_again": "the statistic rises to {statistic} again {time} ms after contact: another"
    " impact, the end of a long contact, or the arm was driven or vibrates; what is said of this"
    " one may be mixed with it",
    "hole": "a gap of {time} ms in the joint states around it",
    "cut_off": "the recording ends {left} ms after the detection; {needed} ms are needed to tell"
    " what the impact did",
}
TEMPLATES = {**ANSWERS, **WARNINGS, **REMARKS, **NOTES}
UNREADABLE = "unreadable"  # key of what a recording's error says, in the words of whoever raised it


def said(key: str, **values: object) -> Sentence:
    """Return the sentence ``key`` with the values of its fields."""
    return Sentence(key, TEMPLATES[key].format(**values))
