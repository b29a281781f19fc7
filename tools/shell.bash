# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
# What ./impact shell starts with: the user's own settings, then the workspace's Python first.
[ -f ~/.bashrc ] && . ~/.bashrc
PATH=$VIRTUAL_ENV/bin:$PATH
PS1="(impact) $PS1"
