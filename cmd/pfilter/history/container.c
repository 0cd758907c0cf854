/* SPDX-License-Identifier: ISC */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "container.h"
#include "set.h"

/* ---- the list -------------------------------------------------------------------------------------------- */

static bool
is_hex(const char *s, size_t n)
{
	return strspn(s, "0123456789abcdefABCDEF") >= n;
}

/* Is the word the beginning of an id? */
static bool
is_prefix(const char *word)
{
	size_t n = strlen(word);

	return n >= CONTAINER_SHORT && n <= CONTAINER_ID && is_hex(word, n);
}

void
container_ready(struct container_key *k, const struct tool *t, const char *option, bool pods)
{
	k->option = option;
	k->pods = pods;
	for (size_t i = 0; i < k->list.n; i++) {
		char *word = k->list.v[i], uid[POD_UID];

		if (pods && !container_pod_uid(word, strlen(word), uid))
			tool_wrong(t, "--%s '%s': expected the UID of a pod, such as 0f3a2b1c-1111-2222-3333-444455556666",
			    option, word);
		if (pods)
			strcpy(word, uid);
		else if (is_prefix(word)) {
			k->prefix = tool_need(array_more(k->prefix, k->nprefixes, 1, sizeof *k->prefix));
			k->prefix[k->nprefixes++] = (struct container_prefix){ .text = word };
		}
	}
}

static bool
has_id(struct container_key *k, const struct tool *t, const char *id)
{
	bool has = words_have(&k->list, id);

	for (struct container_prefix *p = k->prefix; p < k->prefix + k->nprefixes; p++) {
		if (strncasecmp(p->text, id, strlen(p->text)))
			continue;
		has = true;
		if (!*p->first)
			snprintf(p->first, sizeof p->first, "%s", id);
		else if (!p->warned && strcmp(p->first, id)) {
			p->warned = true;
			tool_warn(t, "--%s %s: two containers begin so, %s and %s", k->option, p->text, p->first, id);
		}
	}
	return has;
}

struct search {
	struct container_key *key;
	const struct tool *t;
	struct near *near;
	bool	 has;
};

static void
search_one(void *arg, enum container_kind kind, const char *text)
{
	struct search *s = arg;
	char shown[CONTAINER_SHORT + 1];

	if ((kind == CONTAINER_POD) != s->key->pods)
		return;
	if (kind == CONTAINER_BY_ID ? has_id(s->key, s->t, text) : words_have(&s->key->list, text)) {
		s->has = true;
		return;
	}
	snprintf(shown, sizeof shown, "%s", text);
	if (s->near)
		near_note(s->near, &s->key->list, kind == CONTAINER_BY_ID ? shown : text);
}

bool
container_has(struct container_key *k, const struct tool *t, const char *path, struct near *near)
{
	struct search s = { k, t, near, false };

	container_each(path, search_one, &s);
	return s.has;
}

const char *
container_short(const struct container_key *k)
{
	for (size_t i = 0; !k->pods && i < k->list.n; i++)
		if (strlen(k->list.v[i]) < CONTAINER_SHORT && is_hex(k->list.v[i], strlen(k->list.v[i])))
			return k->list.v[i];
	return NULL;
}

void
container_free(struct container_key *k)
{
	words_free(&k->list);
	free(k->prefix);
}
