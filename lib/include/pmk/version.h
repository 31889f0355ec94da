/* SPDX-License-Identifier: BSD-3-Clause */
/* The version of these headers, and of the library that is loaded. */
#ifndef PMK_VERSION_H
#define PMK_VERSION_H

#ifdef __cplusplus
extern "C" {
#endif

#define PMK_VERSION_MAJOR 0
#define PMK_VERSION_MINOR 1
#define PMK_VERSION_PATCH 0

/**
 * pmk_version() - version of the library that is loaded
 *
 * May differ from PMK_VERSION_* of the headers a program was built with: the
 * shared library keeps its symbols from one minor version to the next.
 *
 * Thread and signal safe.
 *
 * Return: a static string, "MAJOR.MINOR.PATCH".
 */
const char *pmk_version(void);

#ifdef __cplusplus
}
#endif

#endif /* PMK_VERSION_H */
