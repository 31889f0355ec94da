/* SPDX-License-Identifier: BSD-3-Clause */
/* Device mapper and loop devices by ioctl(2), and the kernel's log. */
#include <errno.h>
#include <fcntl.h>
#include <linux/dm-ioctl.h>
#include <linux/loop.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "dm.h"

/* A request: the head, and room for what a command adds. */
union request {
	struct dm_ioctl head;
	char bytes[16384];
};

static int control(void)
{
	static int fd = -1;

	if (fd < 0)
		fd = open("/dev/mapper/control", O_RDWR | O_CLOEXEC);
	if (fd < 0) {
		perror("/dev/mapper/control");
		exit(1);
	}
	return fd;
}

static void start(union request *r, const char *name)
{
	memset(r, 0, sizeof(*r));
	r->head.version[0] = DM_VERSION_MAJOR;
	r->head.data_size = sizeof(*r);
	r->head.data_start = sizeof(r->head);
	snprintf(r->head.name, sizeof(r->head.name), "%s", name);
}

static int run(union request *r, unsigned long command)
{
	return ioctl(control(), command, r) ? -errno : 0;
}

static int simple(const char *name, unsigned long command, uint32_t flags)
{
	union request r;

	start(&r, name);
	r.head.flags = flags;
	return run(&r, command);
}

int dm_remove(const char *name)
{
	return simple(name, DM_DEV_REMOVE, 0);
}

int dm_suspend(const char *name)
{
	return simple(name, DM_DEV_SUSPEND, DM_SUSPEND_FLAG);
}

/* Each target: the head, then its parameters, in multiples of 8 bytes. */
static int load(const char *name, const struct dm_target *target, size_t n)
{
	struct dm_target_spec spec = { 0 };
	union request r;
	size_t at = sizeof(r.head), len;

	start(&r, name);
	r.head.target_count = (uint32_t)n;
	for (size_t i = 0; i < n; i++) {
		len = (sizeof(spec) + strlen(target[i].params) + 8) & ~7UL;
		if (at + len > sizeof(r))
			return -E2BIG;
		spec.sector_start = target[i].start;
		spec.length = target[i].len;
		spec.next = (uint32_t)len;
		snprintf(spec.target_type, sizeof(spec.target_type), "%s",
			 target[i].type);
		memcpy(r.bytes + at, &spec, sizeof(spec));
		strcpy(r.bytes + at + sizeof(spec), target[i].params);
		at += len;
	}
	return run(&r, DM_TABLE_LOAD);
}

int dm_make(const char *name, const struct dm_target *target, size_t n)
{
	union request r;
	int rc, minor;

	start(&r, name);
	rc = run(&r, DM_DEV_CREATE);
	if (rc)
		return rc;
	minor = (int)minor(r.head.dev);
	rc = load(name, target, n);
	if (!rc) /* without the flag for suspend this resumes */
		rc = simple(name, DM_DEV_SUSPEND, 0);
	if (rc)
		dm_remove(name);
	return rc ? rc : minor;
}

int dm_make_one(const char *name, const char *type, uint64_t sectors,
		const char *fmt, ...)
{
	struct dm_target target = { 0, sectors, type, NULL };
	char params[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(params, sizeof(params), fmt, ap);
	va_end(ap);
	target.params = params;
	return dm_make(name, &target, 1);
}

int dm_message(const char *name, const char *text)
{
	union request r;
	struct dm_target_msg msg = { 0 };

	start(&r, name);
	memcpy(r.bytes + sizeof(r.head), &msg, sizeof(msg));
	snprintf(r.bytes + sizeof(r.head) + sizeof(msg),
		 sizeof(r) - sizeof(r.head) - sizeof(msg), "%s", text);
	return run(&r, DM_TARGET_MSG);
}

static int status(const char *name, uint32_t flags, char *buf, size_t size)
{
	union request r;
	int rc;

	start(&r, name);
	r.head.flags = flags;
	rc = run(&r, DM_TABLE_STATUS);
	if (rc)
		return rc;
	snprintf(buf, size, "%s",
		 r.bytes + r.head.data_start + sizeof(struct dm_target_spec));
	return 0;
}

int dm_status(const char *name, char *buf, size_t size)
{
	/* with a flush it would commit first */
	return status(name, DM_NOFLUSH_FLAG, buf, size);
}

int dm_table(const char *name, char *buf, size_t size)
{
	return status(name, DM_STATUS_TABLE_FLAG, buf, size);
}

int loop_make(const char *file)
{
	struct loop_config config = { .block_size = 512 };
	int fd = open(file, O_RDWR | O_CLOEXEC), loop, n, ctl;
	char path[32];

	ctl = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	n = ctl < 0 ? -1 : ioctl(ctl, LOOP_CTL_GET_FREE);
	snprintf(path, sizeof(path), "/dev/loop%d", n);
	loop = open(path, O_RDWR | O_CLOEXEC);
	config.fd = (uint32_t)fd;
	if (fd < 0 || loop < 0 || ioctl(loop, LOOP_CONFIGURE, &config)) {
		perror(path);
		exit(1);
	}
	close(loop);
	close(fd);
	close(ctl);
	return n;
}

static int klog(void)
{
	static int fd = -1;

	if (fd < 0)
		fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0) {
		perror("/dev/kmsg");
		exit(1);
	}
	return fd;
}

void klog_mark(void)
{
	lseek(klog(), 0, SEEK_END);
}

const char *klog_find(const char *words)
{
	static char line[1024];
	char record[1024], *at;
	ssize_t n;

	line[0] = '\0';
	/* one record each; EPIPE: some were overwritten meanwhile */
	while ((n = read(klog(), record, sizeof(record) - 1)) > 0 ||
	       (n < 0 && errno == EPIPE)) {
		if (n < 0)
			continue;
		record[n] = '\0';
		record[strcspn(record, "\n")] = '\0';
		at = strstr(record, words);
		if (at)
			snprintf(line, sizeof(line), "%s", at);
	}
	return line;
}
