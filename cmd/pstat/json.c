/* SPDX-License-Identifier: ISC */
/*
 * json.c - the counts as one JSON object.  Rows are made and written one at a time, since a table may have tens of
 * thousands of rows, and memory is limited.
 */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "report.h"

enum { SCHEMA = 1 };	/* increased when a member changes its meaning or is removed, not for new members */

struct out {
	FILE	*f;
	bool	 members, rows;		/* the next one needs a comma */
	bool	 failed;
};

/* Bytes of the UTF-8 character at p, 0 if it is not valid. */
static size_t
utf8(const uint8_t *p, size_t n)
{
	size_t len = *p < 0x80 ? 1 : *p >= 0xc2 && *p < 0xe0 ? 2 : *p >= 0xe0 && *p < 0xf0 ? 3 :
	    *p >= 0xf0 && *p < 0xf5 ? 4 : 0;

	if (!len || len > n)
		return 0;
	for (size_t i = 1; i < len; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if ((*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] >= 0xa0) ||	/* overlong; surrogates */
	    (*p == 0xf0 && p[1] < 0x90) || (*p == 0xf4 && p[1] >= 0x90))	/* overlong; beyond U+10FFFF */
		return 0;
	return len;
}

/* A string of the stream: a byte that is not UTF-8, and DEL, which jansson does not escape, become \xNN, a backslash two. */
static json_t *
string(const char *s, size_t n)
{
	const uint8_t *p = (const uint8_t *)s;
	char *text = tool_alloc(4 * n + 1, 1);
	size_t out = 0;
	json_t *j;

	while (n) {
		size_t len = *p && *p != 0x7f ? utf8(p, n) : 0;

		if (len == 0)
			out += (size_t)sprintf(text + out, "\\x%02x", *p);
		else if (*p == '\\')
			out += (size_t)sprintf(text + out, "\\\\");
		else {
			memcpy(text + out, p, len);
			out += len;
		}
		len += !len;
		p += len;
		n -= len;
	}
	j = json_stringn(text, out);
	free(text);
	return j;
}

static json_t *
str(const char *s)
{
	return s ? string(s, strlen(s)) : json_null();
}

static json_t *
fact(const struct fact_text *t)
{
	return t->len ? string(t->p, t->len) : json_null();
}

/* jansson limits integers to signed 64 bits, JSON does not. */
static json_int_t
num(uint64_t v)
{
	return v > INT64_MAX ? INT64_MAX : (json_int_t)v;
}

static void
dump(struct out *o, json_t *j)
{
	/* A failed write is left in the FILE for the caller to find. */
	if (!j || (json_dumpf(j, o->f, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_ENCODE_ANY) < 0 && !ferror(o->f)))
		o->failed = true;
	json_decref(j);
}

static void
label(struct out *o, const char *text)
{
	fprintf(o->f, "%s\n\"%s\":", o->members ? "," : "", text);
	o->members = true;
}

static void
member(struct out *o, const char *text, json_t *value)
{
	label(o, text);
	dump(o, value);
}

static void
begin_rows(struct out *o, const char *text)
{
	label(o, text);
	fputc('[', o->f);
	o->rows = false;
}

static void
row(struct out *o, json_t *value)
{
	fprintf(o->f, "%s\n ", o->rows ? "," : "");
	o->rows = true;
	dump(o, value);
}

static void
end_rows(struct out *o)
{
	fputs("]", o->f);
}

/* ---- parts ----------------------------------------------------------------------------------- */

static void
general(struct out *o, const struct report *r)
{
	const struct counts *c = r->c;
	const struct order *t = &c->order;
	const struct pp_err *err = &c->tool->in_err;
	const struct pp_source *in = c->tool->in;
	bool big = in->swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);

	member(o, "schema", json_integer(SCHEMA));
	member(o, "version", json_string(PP_VERSION));
	member(o, "file", str(err->file));
	member(o, "container", str(pp_container(in)));
	member(o, "byte_order", json_string(big ? "big" : "little"));
	member(o, "complete", json_boolean(!err->what[0]));
	member(o, "error", err->what[0] ? str(err->what) : json_null());
	member(o, "bytes_read", json_integer(num(r->read)));
	member(o, "bytes", json_integer(num(c->bytes)));
	member(o, "records", json_integer(num(c->records)));
	member(o, "samples", json_integer(num(r->sum.samples)));
	member(o, "period", json_integer(num(r->sum.period)));
	member(o, "time", t->timed ? json_pack("{s:I,s:I,s:I}", "first_ns", num(t->first), "last_ns", num(t->last),
	    "duration_ns", num(t->last - t->first)) : json_null());
	member(o, "order", json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "timed", num(t->timed),
	    "rounds", num(t->rounds), "round_bytes_max", num(t->round_bytes),
	    "backward", num(t->backward), "backward_max_ns", num(t->depth),
	    "late", num(t->late), "late_max_ns", num(t->late_depth)));
}

static void
sums(struct out *o, const struct report *r)
{
	const struct type_count *t = r->c->type;
	const struct content *k = &r->c->content;
	const struct pp_compressed *z = pp_compressed(r->c->tool->in);

	member(o, "lost", json_pack("{s:I,s:I,s:I,s:I}", "records", num(r->sum.lost),
	    "samples", num(r->sum.lost_samples), "throttled", num(t[PP_THROTTLE].records),
	    "unthrottled", num(t[PP_UNTHROTTLE].records)));
	member(o, "compression", json_pack("{s:I,s:I,s:I,s:I}", "compressed", num(z->records),
	    "compressed2", num(z->records2), "bytes", num(z->bytes), "plain_bytes", num(z->plain)));
	member(o, "content", json_pack("{s:I,s:I,s:I,s:I,s:I,s:I}", "samples", num(r->sum.bytes),
	    "call_chains", num(k->chains), "user_stacks", num(k->stacks), "raw", num(k->raw),
	    "branches", num(k->branches), "registers", num(k->regs)));
}

static void
features(struct out *o, const struct facts *k)
{
	json_t *have = json_array(), *args = json_array();
	const char *p = k->cmdline.p, *end = p ? p + k->cmdline.len : p;

	for (unsigned i = 0; i < 64; i++)
		if (k->have >> i & 1)
			json_array_append_new(have, pp_feature_name(i) ? str(pp_feature_name(i)) : json_integer(i));
	while (p < end) {
		size_t n = strnlen(p, (size_t)(end - p));

		json_array_append_new(args, string(p, n));
		p += n + 1;
	}
	member(o, "features", json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:I,s:I,s:I}", "present", have,
	    "hostname", fact(&k->hostname), "osrelease", fact(&k->osrelease), "perf_version", fact(&k->version),
	    "arch", fact(&k->arch), "cpudesc", fact(&k->cpudesc), "cmdline", args,
	    "cpus_available", num(k->nrcpus_available), "cpus_online", num(k->nrcpus_online),
	    "memory_kb", num(k->total_mem)));
}

static void
types(struct out *o, const struct counts *c)
{
	struct type_count t[COUNT_TYPES + COUNT_ODD + 1];
	size_t n = count_types(c, t);

	begin_rows(o, "types");
	for (size_t i = 0; i < n; i++)
		row(o, json_pack("{s:o,s:s?,s:I,s:I}", "type", t[i].type == UINT32_MAX ? json_null() :
		    json_integer(t[i].type), "name", pp_type_name(t[i].type),
		    "records", num(t[i].records), "bytes", num(t[i].bytes)));
	end_rows(o);
}

static void
events(struct out *o, const struct counts *c)
{
	begin_rows(o, "events");
	for (unsigned i = 0; i < c->nev; i++) {
		const struct pp_event *ev = c->tool->in->events->ev[i];
		const struct event_count *e = &c->ev[i];

		row(o, json_pack("{s:o,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "name", str(ev->name),
		    "attr_type", num(ev->attr.type), "attr_config", num(ev->attr.config),
		    "samples", num(e->samples), "period", num(e->period), "records", num(e->records),
		    "bytes", num(e->bytes), "lost", num(e->lost), "lost_samples", num(e->lost_samples)));
	}
	end_rows(o);
}

static void
tasks(struct out *o, const struct report *r)
{
	const struct tasks *t = &r->c->tasks;

	begin_rows(o, "comms");
	for (size_t i = 0; i < r->ncomms; i++) {
		const struct name *name = &t->name[r->comm[i]];

		row(o, json_pack("{s:o,s:I,s:I,s:I}", "comm", str(name->text), "samples", num(name->samples),
		    "period", num(name->period), "pids", num(name->pids)));
	}
	end_rows(o);
	begin_rows(o, "pids");
	for (size_t i = 0; i < r->npids; i++) {
		const struct task_row *p = &r->pid[i];

		row(o, json_pack("{s:I,s:o,s:I,s:I}", "pid", (json_int_t)(int32_t)p->pid,
		    "comm", str(t->name[p->name].text), "samples", num(p->samples), "period", num(p->period)));
	}
	end_rows(o);
	member(o, "other_pids", json_pack("{s:I,s:I,s:I}", "tasks", num(t->others.tasks),
	    "samples", num(t->others.samples), "period", num(t->others.period)));
	member(o, "comms_rough", json_boolean(t->rough));
	member(o, "reads_not_counted", json_integer(num(r->c->reads_over)));
}

int
json(FILE *f, const struct report *r)
{
	struct out o = { .f = f };

	fputc('{', f);
	general(&o, r);
	sums(&o, r);
	features(&o, &r->c->facts);
	types(&o, r->c);
	events(&o, r->c);
	tasks(&o, r);
	fputs("\n}\n", f);
	return o.failed ? -1 : 1;
}

void
json_seed(void)
{
	json_object_seed(0);
}
