/* SPDX-License-Identifier: BSD-3-Clause */
/* A small good cache, and edits of it: its size, fields of the superblock,
 * entries, bytes. */
#ifndef TESTS_FUZZ_WC_EDITS_H
#define TESTS_FUZZ_WC_EDITS_H

#include <stddef.h>
#include <stdint.h>

#define WC_EDIT_BLOCKS 60U

/* The descriptor of the cache, good again, and a path to it. */
int wc_edits_open(char *path, size_t path_size);

/* As many edits of 20 bytes each as there are. */
void wc_edits_apply(int fd, const uint8_t *data, size_t size);

#endif /* TESTS_FUZZ_WC_EDITS_H */
