#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# No common misspelling in code, comments and documents.
# Usage: codespell.sh ROOT
set -eu
. "$(dirname -- "$0")/lib.sh"

need codespell
# names that are no English words; codespell wants them in lower case
ignore=fpr,ot,clen,dout,inout,parms,crate,te,ths,nd
text_files | grep -v '/corpus/' |
	xargs codespell --ignore-words-list="$ignore"
