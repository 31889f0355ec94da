/* SPDX-License-Identifier: BSD-3-Clause */
/* Persistence domains: what keeps its content when the power fails. */
#ifndef PMK_DOMAIN_H
#define PMK_DOMAIN_H

#ifdef __cplusplus
extern "C" {
#endif

/* What survives a loss of power, and from where on. */
enum pmk_domain {
	PMK_DOMAIN_UNKNOWN = 0,           /* the platform does not say */
	PMK_DOMAIN_CPU_CACHE = 1,         /* caches are flushed (eADR) */
	PMK_DOMAIN_MEMORY_CONTROLLER = 2, /* write-pending queue (ADR) */
	PMK_DOMAIN_DEVICE = 3,            /* a disk, after msync(2) */
	PMK_DOMAIN_VOLATILE = 4,          /* nothing: tmpfs, memfd */
};

/**
 * pmk_domain_name() - the name of a domain
 * @domain: enum pmk_domain
 *
 * Thread and signal safe.
 *
 * Return: the kernel's word where it has one ("cpu_cache",
 * "memory_controller"), else "device", "volatile" or "unknown"; never NULL.
 */
const char *pmk_domain_name(enum pmk_domain domain);

#ifdef __cplusplus
}
#endif

#endif /* PMK_DOMAIN_H */
