/* SPDX-License-Identifier: ISC */
/*
 * container_path.h - the containers and pods in the path of a cgroup, by the rows of container.def
 */
#ifndef PP_CONTAINER_PATH_H
#define PP_CONTAINER_PATH_H

#include <stdbool.h>
#include <stddef.h>

enum container_kind {
	CONTAINER_BY_ID,		/* 64 hexadecimal digits, or as ECS has them: 32, "-", some decimal ones */
	CONTAINER_BY_NAME,
	CONTAINER_POD,			/* a UID, with "-" and small letters */
};
enum {
	CONTAINER_TEXT = 256,		/* bytes of a text, with its NUL: the kernel has no longer components */
	POD_UID = 37,			/* ... of a UID */
};

/* Call fn for each one, from the outermost to the innermost; text is valid until fn returns. */
void	container_each(const char *path, void (*fn)(void *arg, enum container_kind, const char *text), void *arg);
/* The innermost container, or (pod) pod.  false: there is none. */
bool	container_innermost(const char *path, bool pod, char text[static CONTAINER_TEXT]);
/* Write the UID of a pod as Kubernetes shows it to `to'.  false: the n bytes are none. */
bool	container_pod_uid(const char *s, size_t n, char to[static POD_UID]);

#endif
