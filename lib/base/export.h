/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PMK_EXPORT stands on the definition of a public function, never in a public
 * header; libpmk.map names the same functions (hygiene/symbols).
 */
#ifndef LIB_BASE_EXPORT_H
#define LIB_BASE_EXPORT_H

#define PMK_EXPORT __attribute__((visibility("default")))

#endif /* LIB_BASE_EXPORT_H */
