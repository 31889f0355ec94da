#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# C code is as clang-format 14 writes it; other versions differ in details.
# Usage: format.sh ROOT
set -eu
. "$(dirname -- "$0")/lib.sh"

need clang-format-14
c_files | xargs clang-format-14 --dry-run -Werror
