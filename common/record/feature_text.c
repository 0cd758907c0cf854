/* SPDX-License-Identifier: ISC */
/*
 * feature_text.c - prints header features.  The text of each field is in feature.def; here the templates are filled in, and
 * values formatted that are no plain number or string.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "attr.h"
#include "event.h"
#include "feature.h"
#include "sample.h"

struct text {
	pp_feature_out	*out;
	void		*arg;
	bool		 open;		/* a line has been started */
	bool		 failed;
	struct pp_feature_value attr;	/* of EVENT_DESC: stored before the name, printed after it */
	uint64_t	 lo, hi;	/* bitmap: the run of ones so far, if lo < hi */
	bool		 comma;
};

static void
say(struct text *t, const char *p, size_t n)
{
	if (n == 0 || t->failed)
		return;
	t->open = true;
	t->failed = t->out(t->arg, p, n) < 0;
}

static void say_f(struct text *, const char *, ...) __attribute__((format(printf, 2, 3)));

static void
say_f(struct text *t, const char *fmt, ...)
{
	char buf[128];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(buf, sizeof buf, fmt, ap);
	va_end(ap);
	if (n > 0)
		say(t, buf, (size_t)n < sizeof buf ? (size_t)n : sizeof buf - 1);
}

static void
newline(struct text *t)
{
	if (t->open && !t->failed)
		t->failed = t->out(t->arg, NULL, 0) < 0;
	t->open = false;
}

/* ---- attrs ----------------------------------------------------------------------------------- */

/* Names of PERF_SAMPLE_*, PERF_FORMAT_* and of the flags of perf_event_attr, by bit. */
static const char *const sample_bits[PP_SAMPLE_BITS + 1] = {
#define SAMPLE(bit, NAME, ...) [bit] = #NAME,
#include "sample.def"
#undef SAMPLE
};
static const char *const format_bits[] = {
	"TOTAL_TIME_ENABLED", "TOTAL_TIME_RUNNING", "ID", "GROUP", "LOST", NULL
};
_Static_assert(sizeof format_bits / sizeof *format_bits == PP_FORMAT_BITS + 1, "a bit without its name");
enum { ATTR_FREQ_BIT = 10 };

/* ", title A|B|0x80000000", unless there are no bits; bits without a name are shown as a number. */
static void
say_bits(struct text *t, const char *title, const char *const *names, uint64_t bits)
{
	const char *sep = "";

	if (!bits)
		return;
	say_f(t, ", %s ", title);
	for (unsigned i = 0; names[i] && bits; i++)
		if (bits >> i & 1) {
			say_f(t, "%s%s", sep, names[i]);
			bits &= ~(UINT64_C(1) << i);
			sep = "|";
		}
	if (bits)
		say_f(t, "%s0x%" PRIx64, sep, bits);
}

static void
say_attr(struct text *t, const struct pp_feature_value *v)
{
	struct pp_attr a;

	pp_attr_get(&a, v->p, v->len, v->swap);
	say_f(t, ", type %" PRIu32 ", config 0x%" PRIx64, a.type, a.config);
	if (a.config1 || a.config2)
		say_f(t, ", config1 0x%" PRIx64 ", config2 0x%" PRIx64, a.config1, a.config2);
	say_f(t, ", %s %" PRIu64, a.flags >> ATTR_FREQ_BIT & 1 ? "sample_freq" : "sample_period", a.sample_period);
	say_bits(t, "sample_type", sample_bits, a.sample_type);
	say_bits(t, "read_format", format_bits, a.read_format);
	say_bits(t, "flags", pp_attr_flag_names, a.flags);
	if (a.branch_sample_type)
		say_f(t, ", branch_sample_type 0x%" PRIx64, a.branch_sample_type);
}

/* ---- other values ---------------------------------------------------------------------------- */

static void
end_run(struct text *t)
{
	if (t->lo >= t->hi)
		return;
	if (t->hi - t->lo == 1)
		say_f(t, "%s%" PRIu64, t->comma ? "," : " ", t->lo);
	else
		say_f(t, "%s%" PRIu64 "-%" PRIu64, t->comma ? "," : " ", t->lo, t->hi - 1);
	t->comma = true;
	t->lo = t->hi = 0;
}

/* One word of a bitmap: print the runs of ones that end in it. */
static void
say_word(struct text *t, const struct pp_feature_value *v)
{
	if (v->index == 0)
		t->comma = false;
	for (unsigned i = 0; i < 64; i++) {
		uint64_t bit = v->index * 64 + i;

		if (!(v->num >> i & 1)) {
			end_run(t);
		} else {
			if (t->lo >= t->hi)
				t->lo = bit;
			t->hi = bit + 1;
		}
	}
}

/*
 * struct bpf_prog_info (include/uapi/linux/bpf.h): type@0, id@4, name[16]@64.  perf copies it from the kernel and never
 * converts its byte order.
 */
static void
say_info(struct text *t, const struct pp_feature_value *v)
{
	enum { ID = 4, NAME = 64, NAME_LEN = 16 };

	if (v->len < ID + 4) {
		say(t, "an unknown program", 18);
		return;
	}
	say_f(t, "id %" PRIu32, pp_get_u32(v->p + ID, v->swap));
	if (v->len >= NAME + NAME_LEN && v->p[NAME]) {
		say(t, ", ", 2);
		say(t, (const char *)v->p + NAME, strnlen((const char *)v->p + NAME, NAME_LEN));
	}
}

static void
say_value(struct text *t, const struct pp_feature_value *v)
{
	switch (v->kind) {
	case PP_F_UINT:
		say_f(t, "%" PRIu64, v->num);
		break;
	case PP_F_SINT:
		say_f(t, "%" PRId64, (int64_t)v->num);
		break;
	case PP_F_HEX:
		say_f(t, "0x%" PRIx64, v->num);
		break;
	case PP_F_TIME:
		say_f(t, "%" PRIu64 ".%09" PRIu64, v->num / 1000000000, v->num % 1000000000);
		break;
	case PP_F_BITMAP:
		say_word(t, v);
		break;
	case PP_F_STR:
		say(t, (const char *)v->p, v->len);
		break;
	case PP_F_INFO:
		say_info(t, v);
		break;
	default:
		say_f(t, "%zu bytes", v->len);
	}
}

/* ---- templates ------------------------------------------------------------------------------- */

static void
fill(struct text *t, const struct pp_feature_value *v)
{
	const char *p = v->text, *bar = strchr(p, '|'), *end = p + strlen(p);

	if (bar && v->index > 0)
		p = bar + 1;
	else if (bar)
		end = bar;
	for (;;) {
		size_t n = strcspn(p, "\n%#|");

		say(t, p, n);
		p += n;
		if (p == end)
			break;
		switch (*p++) {
		case '\n':
			newline(t);
			break;
		case '%':
			say_value(t, v);
			break;
		case '#':
			say_f(t, "%" PRIu64, v->index);
			break;
		}
	}
}

static int
visit(void *arg, const struct pp_feature_value *v)
{
	struct text *t = arg;

	if (v->kind != PP_F_BITMAP)
		end_run(t);
	if (v->kind == PP_F_ATTR)
		t->attr = *v;
	if (v->kind == PP_F_REST) {
		newline(t);
		say_f(t, "%zu bytes that are not understood", v->len);
	}
	if (v->text)
		fill(t, v);
	if (v->kind == PP_F_STR && t->attr.p)
		say_attr(t, &t->attr);
	return !t->failed;
}

int
pp_feature_text(const struct pp_feature *f, pp_feature_out *out, void *arg, struct pp_err *err)
{
	struct text t = { .out = out, .arg = arg };
	int r;

	if (f->len && !pp_feature_name(f->number)) {
		say_f(&t, "feature %" PRIu64 " : ", f->number);
		t.open = false;			/* the line continues */
	}
	r = pp_feature_walk(f, visit, &t, err);
	end_run(&t);
	newline(&t);
	return r < 0 || t.failed ? -1 : 1;
}
