/* SPDX-License-Identifier: ISC */
/* known.c - see lookup.h: build-ids that the user knows, by the names of files */
#include <stdlib.h>
#include <string.h>

#include "protocol.h"
#include "state/table.h"

struct known {
	struct table	 by_name;
	struct known_id {
		struct link	 link;
		struct build_id	 id;
		size_t		 len;
		char		 name[];
	} *last;
};

static struct known_id *
known_search(const struct known *k, const char *name, size_t len)
{
	uint64_t key = pp_table_hash(&k->by_name, len, (const uint8_t *)name, len);

	for (struct link *l = pp_table_first(&k->by_name, key); l; l = pp_table_next(l)) {
		struct known_id *i = (struct known_id *)l;

		if (i->len == len && !memcmp(i->name, name, len))
			return i;
	}
	return NULL;
}

static int
known_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The id at the beginning of a line; the number of its digits, 0: there is none. */
static size_t
known_parse_id(struct build_id *id, const char *s)
{
	size_t n = 0;

	*id = (struct build_id){ .len = 0 };
	while (n < 2 * BUILD_ID_MAX && known_digit(s[n]) >= 0 && known_digit(s[n + 1]) >= 0) {
		id->b[id->len++] = (uint8_t)(known_digit(s[n]) << 4 | known_digit(s[n + 1]));
		n += 2;
	}
	return n;
}

/*
 * "ID NAME"; a name may have spaces.  Of several lines of a name the last one counts.  perf buildid-list prints the id in 40
 * columns, also if it is shorter, or if there is none.
 */
static void
known_add_line(struct known *k, const struct tool *t, const char *line)
{
	struct build_id id;
	size_t n = known_parse_id(&id, line), len;
	struct known_id *i;

	if (strspn(line, " ") >= 2 * BUILD_ID_MAX)
		return;
	if (!n || line[n] != ' ' || !line[n + strspn(line + n, " ")])
		tool_wrong(t, "%s: '%s': expected an id of 2 to 40 hexadecimal digits, a space and a path", t->optname, line);
	line += n;
	line += strspn(line, " ");
	len = strlen(line);
	if (!(i = known_search(k, line, len))) {
		i = tool_alloc(1, sizeof *i + len + 1);
		i->len = len;
		memcpy(i->name, line, len);
		if (pp_table_add(&k->by_name, &i->link, pp_table_hash(&k->by_name, len, (const uint8_t *)line, len)) < 0)
			tool_wrong(t, "%s: out of memory", t->optname);
	}
	i->id = id;
}

void
known_add(struct tool *t, void *known)
{
	struct known **to = known;
	const char *list = t->optarg;
	char *text = tool_named_file(t, list), *from, *end;
	const char *ends = text ? "\n" : ",";

	if (!*to) {
		*to = tool_alloc(1, sizeof **to);
		pp_table_init(&(*to)->by_name);
	}
	if (!text)
		text = strcpy(tool_alloc(strlen(list) + 1, 1), list);
	for (from = text; *from; from = end) {
		end = from + strcspn(from, ends);
		if (*end)
			*end++ = '\0';
		if (*from)
			known_add_line(*to, t, from);
	}
	free(text);
}

int
known_find(const struct known *k, const struct pp_dso *dso, struct build_id *id)
{
	const struct known_id *i = k && dso ? known_search(k, dso->name, dso->len) : NULL;

	if (i)
		*id = i->id;
	return i != NULL;
}
