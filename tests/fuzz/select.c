/* SPDX-License-Identifier: ISC */
/*
 * select.c - libFuzzer target: any bytes as an argument of pfilter --filter or --span (cmd/pfilter/expr, cmd/pfilter/window)
 *
 * The first byte says which: `s' a span, `e' an expression, else a filter of the kernel for sched:sched_switch.  The argument ends at
 * the first NUL.  The samples are those of tests/data/kernel.pipe.data.zst.  What must hold: no sanitizer error; an argument is
 * taken, or there is a message and exit(2); a filter of the kernel is never unknown for samples of the event, and true for no
 * others; "!" in front of it gives the opposite; all memory is freed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "expr/expr.h"
#include "source/formats.h"
#include "source/source.h"
#include "window/span.h"
#include "fuzz.h"

#define EXITS(status) ((status) == 2)
#include "exits.h"
#define RECORDING "tests/data/kernel.pipe.data.zst"
#define EVENT "sched:sched_switch"

enum { SAMPLES = 64, TEXT = 8192 };

static struct pp_err error;
static struct tool tool = { .name = "select", .quiet = true };
static struct sample { uint64_t off; uint8_t raw[512]; } samples[SAMPLES];
static unsigned nsamples;

/* ---- memory ---------------------------------------------------------------------------------------------- */

char	*__real_strndup(const char *, size_t), *__wrap_strndup(const char *, size_t);

char *
__wrap_strndup(const char *s, size_t n)
{
	return note(__real_strndup(s, n));
}

/* Similar names in messages take most of the time. */
void	__wrap_field_near(const char *, size_t, char *, size_t), __wrap_field_payload_near(const struct field_stream *, const char *, char *, size_t);

void
__wrap_field_near(const char *name, size_t n, char *near, size_t size)
{
	(void)name, (void)n;
	memset(near, 0, size);
}

void
__wrap_field_payload_near(const struct field_stream *s, const char *name, char *near, size_t size)
{
	(void)s, (void)name;
	memset(near, 0, size);
}

/* What regcomp() allocated is not known here. */
const char *__asan_default_options(void);
const char *
__asan_default_options(void)
{
	return "detect_leaks=0";
}

/* ---- the recording --------------------------------------------------------------------------------------- */

int	LLVMFuzzerInitialize(int *, char ***);
int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct pp_rec r;

	(void)argc, (void)argv;
	MUST((stderr = fopen("/dev/null", "w")));	/* that of libFuzzer stays */
	MUST((tool.in = pp_open(RECORDING, 0, &error)) && pp_keep_formats(tool.in) >= 0);
	/* some samples of the event, and some of others */
	for (unsigned wanted = 0, n = 0; nsamples < SAMPLES && pp_next(tool.in, &r) > 0; ) {
		const struct pp_event *ev = r.type == PP_SAMPLE ? pp_event_find(tool.in->events, &r, &error) : NULL;
		bool is = ev && !strcmp(ev->name, EVENT);

		n++;
		if (!ev || r.size > sizeof samples->raw || (!is && n % 50) || (is && ++wanted > SAMPLES / 2))
			continue;
		samples[nsamples].off = n;
		memcpy(samples[nsamples++].raw, r.raw, r.size);
	}
	MUST(nsamples == SAMPLES);
	return 0;
}

/* ---- one argument ---------------------------------------------------------------------------------------- */

static struct expr *
expression(const char *text)
{
	struct expr *e = expr_add(NULL, &tool, "--filter", text);

	expr_bind(e, &tool, tool.in);
	return e;
}

static void
check(const char *text, bool of_kernel)
{
	static char whole[TEXT + 64];
	struct expr *e, *not = NULL;

	snprintf(whole, sizeof whole, of_kernel ? EVENT "{%s}" : "%s", text);
	e = expression(whole);
	/* the filter may end in its middle: "a == 1} or tid{b == 2" */
	if (of_kernel && !strchr(text, '}')) {
		snprintf(whole, sizeof whole, EVENT "{!(%s)}", text);
		not = expression(whole);
	}
	for (unsigned i = 0; i < nsamples; i++) {
		struct pp_rec r = pp_rec_at(samples[i].raw, tool.in->swap);
		struct field_subject s = { .ev = pp_event_find(tool.in->events, &r, &error), .r = &r, .offset = samples[i].off, .start = 1 };
		enum expr_result is, opposite;

		MUST(expr_match(e, &s, &is, &error) > 0);
		if (!not)
			continue;
		MUST(expr_match(not, &s, &opposite, &error) > 0);
		if (strcmp(s.ev->name, EVENT))
			MUST(is == EXPR_NO && opposite == EXPR_NO);
		else if (expr_needs_state(e))		/* COMM: there are no names here */
			MUST((is == EXPR_UNKNOWN) == (opposite == EXPR_UNKNOWN) && (is != opposite || is == EXPR_UNKNOWN));
		else
			MUST(is != EXPR_UNKNOWN && opposite != EXPR_UNKNOWN && is != opposite);
	}
	expr_explain(e, true, stderr);
	expr_end(e);
	expr_free(e);
	expr_free(not);
}

static void
check_span(const char *text)
{
	struct field_stream stream = { .events = tool.in->events, .swap = tool.in->swap, .tracing = pp_formats(tool.in) };
	static const struct span_measure by_thread = { .on = true, .task = true };
	struct span *s = tool_alloc(1, sizeof *s);

	s->measure = &by_thread;
	span_parse(s, &tool, text);
	MUST(s->nkeys && s->nkeys <= SPAN_KEYS && s->part[SPAN_BEGIN] && s->part[SPAN_END]);
	MUST(s->nfields <= sizeof s->field / sizeof *s->field && (!s->part[SPAN_CANCEL] || s->cancels));
	field_stream_ready(&stream);
	span_bind(s, &tool, &stream);
	for (int i = 0; i < SPAN_PARTS; i++)
		expr_bind(s->part[i], &tool, tool.in);
	span_free(s);
	field_stream_free(&stream);
}

int	LLVMFuzzerTestOneInput(const uint8_t *, size_t);
int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	static char text[TEXT];

	if (!n || n > sizeof text)
		return 0;
	memcpy(text, p + 1, n - 1);
	text[n - 1] = 0;
	inside = true;
	if (!setjmp(out)) {
		if (*p == 's')
			check_span(text);
		else
			check(text, *p != 'e');
		MUST(!blocks);
	}
	inside = false;
	while (blocks)
		free(blocks->p);
	return 0;
}
