# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Slow tests, with their times by ``--durations``."""

# Files, longest first: where processes share them, the last ones end together.
LONGEST = (
    "pages/test_pages.py",
    "qp/test_promises.py",
    "trials/test_spreading_mishaps.py",
    "trials/test_spreading_loop.py",
    "cli/test_demo.py",
    "drivers/node/test_franka_processes.py",
    "drivers/node/test_franka_learns.py",
    "analysis/test_analyze.py",
    "qp/test_mishaps.py",
    "launch/test_processes.py",
    "analysis/test_report.py",
    "trials/test_simulate.py",
    "studies/test_reproduce.py",
    "analysis/test_evaluate.py",
    "bringup/test_experiment.py",
)

# Tests, and fixtures with all tests that use them, of a minute or more: marked long, slow as well.
LONG = {
    "cli/test_hammer_demo.py": ("test_a_handle_and_learning_take_a_third_of_the_strikes",),
    "drivers/node/test_franka_learns.py": ("test_a_surface_is_learned_by_way_of_libfranka",),
    "setup/test_builds.py": (
        "test_plain_colcon_builds_and_tests_the_repository",
        "test_without_ros_the_demo_has_the_figures_of_dds",
        "test_without_ros_the_demo_is_shown_live_with_the_same_figures",
    ),
    "studies/test_learned_walls.py": ("test_drawn_walls_are_learned_and_none_is_hit_too_fast",),
}

# Tests, and fixtures with all tests that use them, of some 2.5 s or more.
SLOW = {
    "analysis/test_analyze.py": (
        *("results", "test_processes_and_one_process_agree", "test_ctrl_c_keeps_what_is_finished"),
        *("test_resume_leaves_out_what_is_known", "test_a_long_recording_in_pieces_is_the_same"),
    ),
    "studies/test_foreign_study.py": (
        *("results", "test_the_command_prints_one_document"),
        "test_a_payload_that_nobody_declared_is_found_and_counted_with",
        "test_in_each_family_what_is_said_is_true",
    ),
    "studies/test_humanoid_grabs.py": ("test_bounds_at_the_poses_are_those_of_the_prototype",),
    "analysis/test_landings.py": (
        "test_real_landings_need_the_motors_inertia_friction_and_springs",
    ),
    "analysis/test_report.py": ("page", "report"),
    "analysis/test_tosses.py": (
        *("recorded", "test_the_best_law_is_chosen_without_the_judged_impacts"),
        "test_body_and_coefficients_are_found_in_impacts_by_another_formula",
    ),
    "studies/test_val2.py": ("grabbed", "test_a_cluster_gives_the_same"),
    "bags/test_damaged_recordings.py": ("test_the_campaign_would_tell",),
    "bringup/test_experiment.py": (
        *("reports", "test_against_the_wall_clock_it_ends_and_counts_missed_cycles"),
        "test_a_frozen_suite_is_one_line_and_no_process_is_left",
        "test_an_interrupt_ends_the_suite_and_finishes_the_recording",
    ),
    "cli/test_compare.py": (
        *("test_its_figures_are_those_of_map_plan_and_predict", "test_a_table_and_a_picture"),
    ),
    "cli/test_demo.py": (
        *("demo", "test_ctrl_c_ends_all_with_one_line"),
        "test_a_killed_demo_leaves_no_process_and_no_riddle",
    ),
    "cli/test_fci_demo.py": ("robust",),
    "cli/test_grab_demo.py": ("shown", "shown_here", "test_a_box_out_of_reach_is_one_line"),
    "cli/test_hit_command.py": (
        "test_a_fake_arm_says_where_it_and_its_wall_are_and_is_hit_with",
        "test_an_address_that_is_taken_or_elsewhere_is_one_line",
        "test_an_arm_at_an_address_goes_slowly_and_says_when_nothing_was_there",
        "test_speed_and_limits_are_chosen_and_errors_cleared_by_a_yes",
        "test_without_an_address_the_fake_arm_hits_and_stops_itself_at_an_obstacle",
    ),
    "cli/test_learn_command.py": ("learned",),
    "cli/test_map.py": ("test_processes_change_nothing",),
    "cli/test_own_arm.py": ("test_from_urdf_to_report", "measured"),
    "cli/test_person_plan.py": (
        "test_the_specifications_speeds_towards_people",
        "test_an_arm_that_pushes_on_is_warned_of_and_slower_than_one_that_reacts",
    ),
    "cli/test_spreading_demo.py": ("push", "grab"),
    "detector/test_odd_messages.py": ("test_odd_messages_end_nothing",),
    "drivers/node/test_franka_processes.py": (
        "test_a_goal_hits_by_way_of_both_processes_and_is_recorded_as_any_other",
        "test_a_goal_hits_by_way_of_libfranka",
        "test_a_loop_that_is_killed_ends_the_goal",
        "test_a_loop_that_is_killed_within_a_hit_leaves_low_thresholds",
    ),
    "launch/test_processes.py": (
        "test_a_humanoid_looks_for_a_box_that_is_not_there",
        "test_a_push_by_reference_spreading_comes_to_its_impact",
        "test_the_simulated_arm_approaches_hits_and_retracts",
        "test_what_the_launch_file_starts_comes_up_alone_and_stays_up",
    ),
    "predictor/test_learning.py": ("test_no_speed_is_above_what_the_truth_allows", "runs"),
    "trials/test_layered_walls.py": ("struck",),
    "qp/test_mishaps.py": ("outcomes",),
    "qp/test_other_arms.py": ("test_the_command_plans_for_it",),
    "sim/test_gazebo_physics.py": (
        "test_the_robust_hit_is_as_fast_as_the_demos_and_detected",
        "test_without_friction_the_impulse_is_that_of_the_links_alone",
    ),
    "test_examples.py": ("trials", "test_plan_hit", "test_own_loop"),
    "bringup/test_grab_over_dds.py": (
        *(
            "recorded",
            "test_nodes_do_what_one_process_does",
            "test_a_killed_controller_is_one_line",
        ),
        "test_a_frozen_controller_is_one_line",
        "test_an_interrupt_ends_all_and_finishes_the_recording",
    ),
    "trials/grab/test_grab_trial.py": (
        *("grabbed", "test_a_plain_controller_of_positions_grabs_too"),
        "test_another_humanoid_grabs_by_its_yaml_alone",
    ),
    "qp/test_spreading_node.py": ("test_deactivated_it_brakes_comes_to_rest_and_is_silent",),
    "trials/test_in_process.py": ("test_it_is_what_is_recorded_over_dds",),
    "trials/test_simulate.py": (
        "test_it_is_what_the_nodes_do_over_dds",
        "test_the_same_seed_gives_the_same_files_on_one_process",
        "test_a_killed_campaign_goes_on_to_the_same_files",
        "test_what_was_finished_before_ctrl_c_is_kept",
        "test_a_scheduler_that_is_not_there_is_one_line",
        "test_a_cluster_gives_the_same_rows_in_the_same_order",
    ),
    "drivers/test_fake_fr3.py": ("test_errors_have_libfrankas_names_and_are_cleared_when_asked",),
    "view/test_free_base.py": ("test_a_picture_shows_box_and_forces",),
    "view/test_pages.py": (
        "test_a_picture_shows_force_and_impulses_of_a_hit_and_none_before",
        "test_the_command_draws_a_picture",
    ),
    "analysis/test_impulse_ranking.py": ("test_the_true_inertia_comes_first_in_spite_of_friction",),
    "cli/test_folders.py": ("test_a_killed_campaign_leaves_whole_recordings_only",),
    "analysis/test_evaluate.py": (
        "test_refinements_pay_on_the_half_that_was_fitted",
        "test_intervals_of_95_percent_hold_the_truth_about_so_often",
    ),
    "analysis/test_evaluate_pose.py": ("test_the_judged_body_must_be_the_ellipse_that_was_fitted",),
    "trials/test_spreading_trials.py": ("test_another_box_by_file_is_simulated_and_recorded",),
    "detector/test_expectation.py": ("test_simulated_hits_are_told_apart",),
    "detector/test_node.py": ("test_diagnostics_say_what_arrived",),
    "analysis/test_learn.py": (
        "test_the_real_arms_free_motion_asks_for_higher_momentum_and_acceleration",
    ),
    "qp/test_node.py": ("test_the_way_to_rest_keeps_to_the_limits_of_the_arm",),
    "qp/test_goal.py": ("test_a_goal_is_carried_out_and_reported",),
    "analysis/test_recorded_hits.py": ("learned", "test_the_command_learns_from_a_bag"),
    "cli/test_learning_demo.py": (
        *(
            "test_with_ros_it_is_the_action_over_dds",
            "test_without_ros_it_is_shown_in_this_process",
        ),
        "test_a_learner_that_ends_before_is_told_in_one_line",
    ),
    "qp/test_learn_node.py": (
        *("test_hits_become_faster_and_none_overloads_a_joint", "impatient"),
        *("test_the_same_goal_gives_the_same_numbers", "test_an_error_of_its_own_ends_it"),
        *("test_a_hit_that_is_as_fast_as_wanted_is_the_last", "underway"),
        *("test_a_hit_without_an_event_is_the_last", "test_a_hit_with_missing_samples_is_the_last"),
        "test_a_controller_that_allows_no_narrower_ranges_ends_it_after_the_first_hit",
    ),
    "drivers/node/test_franka_learns.py": ("test_a_surface_is_learned_by_way_of_libfranka",),
    "qp/test_surface_learner.py": (
        *("test_two_contradictions_in_a_row_are_the_end",),
        *("test_hits_that_are_as_meant_go_on_to_their_number",),
        *("test_the_second_hit_that_used_more_than_was_promised_is_the_last",),
    ),
}
