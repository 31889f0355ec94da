/* SPDX-License-Identifier: BSD-3-Clause */
/* pmk memmap predict: what a namespace, or a chain of them, will be. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/size.h"
#include "memmap/iomem.h"
#include "memmap/ns_opt.h"
#include "memmap/predict_out.h"
#include "opt.h"
#include "out.h"
#include "pmk.h"

/* Keys of the options that have no letter. */
enum {
	OPT_SIZE = 256,
	OPT_USABLE,
	OPT_IOMEM,
	OPT_WAYS,
};

/* Data begin 2 MiB behind the start at the least, and end at a multiple of 2
 * MiB: below this no kernel finds room for any. */
#define SIZE_MIN ((uint64_t)4 << 20)
/* The alignment of a region unless it is changed, and what ndctl wants of a
 * base and of a size. */
#define REGION_ALIGN ((uint64_t)16 << 20)
/* The most DIMMs that a region may have (ND_MAX_MAPPINGS). */
#define WAYS_MAX 32

static const struct argp_option options[] = {
	OPT_JSON,
	{ "size", OPT_SIZE, "SIZE[:WORD...],...", 0,
	  "Raw size of a namespace, with its mode, map and alignment if they "
	  "are not those of the options; of several, that follow one another, "
	  "separated by commas or by another --size",
	  0 },
	{ "usable", OPT_USABLE, "SIZE", 0,
	  "Find the smallest namespace that gives at least SIZE", 0 },
	{ "iomem", OPT_IOMEM, "FILE", 0,
	  "Look for sections shared with RAM, in what /proc/iomem says to root",
	  0 },
	{ "ways", OPT_WAYS, "N", 0,
	  "DIMMs that the region interleaves (1): sizes are multiples of N "
	  "alignments",
	  0 },
	OPT_END,
};

struct input {
	bool json;
	struct pmk_memmap_params ns;
	char *sizes; /* all of --size, joined by commas, or NULL */
	uint64_t usable;
	const char *iomem;
	unsigned int ways;
};

/* One more --size. */
static void add_sizes(struct input *in, const char *arg)
{
	char *all;

	if (asprintf(&all, "%s%s%s", in->sizes ? in->sizes : "",
		     in->sizes ? "," : "", arg) < 0)
		out_of_memory();
	free(in->sizes);
	in->sizes = all;
}

static void check_input(const struct input *in, struct argp_state *state)
{
	if (in->sizes && in->usable)
		argp_error(state, "--size and --usable exclude each other");
	else if (!in->sizes && !in->usable)
		argp_error(state, "--size is missing, or --usable");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct input *in = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &in->ns;
		return 0;
	case 'j':
		in->json = true;
		return 0;
	case OPT_SIZE:
		add_sizes(in, arg);
		return 0;
	case OPT_USABLE:
		in->usable = opt_size(state, "--usable", arg, 1);
		return 0;
	case OPT_IOMEM:
		in->iomem = arg;
		return 0;
	case OPT_WAYS:
		in->ways = (unsigned int)opt_count(state, "--ways", arg, 1,
						   WAYS_MAX);
		return 0;
	case ARGP_KEY_END:
		check_input(in, state);
		return 0;
	default:
		return opt_positional(key, arg, state, NULL, NULL, 0);
	}
}

static const struct argp_child children[] = {
	{ &memmap_opt_argp, 0, NULL, 0 },
	{ NULL, 0, NULL, 0 },
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = children,
	.doc = "Say what the kernel makes of a namespace: how much can be used, "
	       "and what its struct pages cost.  Nothing is looked at or made.",
};

/* Where a namespace may begin, by nd_pfn_init(); bytes. */
#define START_ALIGN (2U << 20)

static int wrong(const char *option, const char *value, const char *why)
{
	out_error("%s: %s: %s", option, out_path(value), why);
	return EXIT_USAGE;
}

static int parse_size(const char *text, uint64_t *size_ret)
{
	int rc = pmk_size_parse(text, size_ret);

	if (rc == -ERANGE)
		return wrong("--size", text, "too large");
	if (rc)
		return wrong("--size", text,
			     "not a size such as 64k, 2M or 100G");
	if (*size_ret < SIZE_MIN)
		return wrong("--size", text, "below 4M, which is the least");
	if (*size_ret % 4096)
		return wrong("--size", text, "not a multiple of 4096");
	return EXIT_OK;
}

/* One element of --size, SIZE[:WORD...]; @item is cut into its parts. */
static int parse_item(char *item, struct pmk_memmap_params *ns)
{
	char *rest = item;
	const char *word = strsep(&rest, ":");
	int rc = parse_size(word, &ns->size);

	while (!rc && (word = strsep(&rest, ":")))
		if (!memmap_opt_word(word, ns))
			rc = wrong("--size", word,
				   "not fsdax, devdax, dev, mem, 4K, 2M or 1G");
	return rc;
}

/* One line for what is no answer of a kernel's; EXIT_OK if it is one. */
static int check_answer(const struct prediction *p, const char *option)
{
	switch (p->rc) {
	case -EOVERFLOW:
		out_error("%s: too large: a namespace at 0x%" PRIx64
			  " would end behind 2^63",
			  option, p->ns.start);
		return EXIT_USAGE;
	case -EEXIST:
		out_error("%s: a namespace at 0x%" PRIx64 " would overlap "
			  "System RAM; --start says where it is",
			  option, p->ns.start);
		return EXIT_USAGE;
	default:
		return EXIT_OK;
	}
}

static const char *ndctl_refuses(const struct prediction *p)
{
	if (p->ns.size % (p->ns.align * p->ways))
		return "the size is not a multiple of the alignment times the "
		       "ways of the region";
	if (p->ns.size % REGION_ALIGN)
		return "the size is not a multiple of 16 MiB, which regions "
		       "are aligned to";
	if (p->ns.start % REGION_ALIGN)
		return "the base is not a multiple of 16 MiB (it takes "
		       "--force)";
	return NULL;
}

/* Of what all sizes are multiples that ndctl takes. */
static uint64_t ndctl_granule(const struct prediction *p)
{
	uint64_t granule = p->ns.align * p->ways;

	while (granule % REGION_ALIGN)
		granule *= 2;
	return granule;
}

static int predict(struct prediction *p, const char *option)
{
	p->rc = pmk_memmap_predict(&p->ns, &p->layout);
	p->ndctl_refuses = ndctl_refuses(p);
	return check_answer(p, option);
}

/* The namespaces of --size, one behind the other.  The caller frees. */
static int predict_chain(struct input *in, struct prediction **list_ret,
			 size_t *n_ret)
{
	struct prediction *list = NULL;
	uint64_t next = in->ns.start;
	char *rest = in->sizes;
	size_t n = 0;
	int rc = EXIT_OK;

	while (!rc && rest) {
		char *item = strsep(&rest, ",");

		list = reallocarray(list, n + 1, sizeof(*list));
		if (!list)
			out_of_memory();
		list[n] = (struct prediction){ .ns = in->ns, .ways = in->ways };
		list[n].ns.start = next;
		rc = parse_item(item, &list[n].ns);
		if (!rc)
			rc = predict(&list[n], "--size");
		next += list[n++].ns.size;
	}
	*list_ret = list;
	*n_ret = n;
	return rc;
}

/* The namespace of --usable. */
static int predict_usable(const struct input *in, struct prediction *p)
{
	uint64_t granule = in->ns.align * in->ways;

	*p = (struct prediction){
		.ns = in->ns,
		.ways = in->ways,
		.wanted = in->usable,
	};
	p->rc = pmk_memmap_size_for(&p->ns, in->usable, granule, &p->ns.size);
	if (!p->rc && pmk_memmap_size_for(&p->ns, in->usable, ndctl_granule(p),
					  &p->ndctl_size))
		p->ndctl_size = 0; /* past 2^63 */
	if (!p->rc)
		return predict(p, "--usable");
	/* the size is not why: what the kernel says to any */
	if (p->rc == -EINVAL) {
		struct prediction any = *p;

		any.ns.size = SIZE_MIN;
		p->rc = pmk_memmap_predict(&any.ns, &p->layout);
	}
	return check_answer(p, "--usable");
}

static int run(struct input *in)
{
	_cleanup_free_ struct prediction *list = NULL;
	struct prediction one;
	const struct prediction *all = &one;
	size_t n = 1;
	int rc;

	if (in->usable) {
		rc = predict_usable(in, &one);
	} else {
		rc = predict_chain(in, &list, &n);
		all = list;
	}
	if (rc)
		return rc;
	if (in->json)
		predict_print_json(all, n);
	else
		predict_print_table(all, n);
	for (size_t i = 0; i < n; i++)
		if (all[i].rc)
			rc = EXIT_BAD;
	return rc;
}

int cmd_memmap_predict(int argc, char **argv)
{
	struct input in = { .ways = 1 };
	struct iomem io = { NULL, 0 };
	int rc = EXIT_OK;

	memmap_opt_defaults(&in.ns);
	argp_parse(&argp, argc, argv, 0, NULL, &in);
	/* of the first: others begin where sizes make them */
	if (in.ns.start % START_ALIGN) {
		out_error("--start: 0x%" PRIx64 " is not a multiple of 2M: the "
			  "kernel says EINVAL (start misaligned)",
			  in.ns.start);
		rc = EXIT_USAGE;
	}
	if (!rc && in.iomem)
		rc = iomem_read(in.iomem, &io);
	in.ns.ram = io.ram;
	in.ns.n_ram = io.n;
	if (!rc)
		rc = run(&in);
	iomem_free(&io);
	free(in.sizes);
	return rc;
}
