/* SPDX-License-Identifier: BSD-3-Clause */
/* Sentences in the last column of a table, wrapped between words. */
#ifndef TOOLS_WRAP_H
#define TOOLS_WRAP_H

struct libscols_table;

/* On a terminal, right before the table is printed: makes its last column as
 * wide as the others leave room for.  Elsewhere nothing is wrapped. */
void wrap_last_column(struct libscols_table *tb);

#endif /* TOOLS_WRAP_H */
