/* SPDX-License-Identifier: BSD-3-Clause */
/* How pmk list shows an inventory. */
#ifndef TOOLS_LIST_H
#define TOOLS_LIST_H

struct pmk_inventory;

/* One document with all that is known, and why the rest is not.  Returns an
 * exit code. */
int list_print_json(const struct pmk_inventory *inv);

#endif /* TOOLS_LIST_H */
