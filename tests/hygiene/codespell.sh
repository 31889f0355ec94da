#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# No common misspelling in code, comments and documents.
# Usage: codespell.sh ROOT
set -eu
. "$(dirname -- "$0")/lib.sh"

need codespell
# names that are no English words; codespell wants them in lower case
ignore=fpr,ot,clen,dout,inout,parms,crate,te,ths,nd
# what a kernel or a fuzzer wrote is no text of ours
text_files | grep -v -e '/corpus/' -e '^tests/unit/sysfs/' |
	xargs codespell --ignore-words-list="$ignore"
