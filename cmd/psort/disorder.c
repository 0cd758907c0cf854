/* SPDX-License-Identifier: ISC */
/* disorder.c - how far out of order records came */
#include "disorder.h"
#include "record/order.h"

void
disorder_raise(struct disorder *d, uint64_t time)
{
	d->newest = time;
	d->ring[d->raised % DISORDER_RING].time = time;
	d->ring[d->raised++ % DISORDER_RING].number = d->records - 1;
}

/* A record after a newer one.  It is only counted, unless the first newer one is further away than any before. */
void
disorder_back(struct disorder *d, uint64_t time)
{
	uint64_t number = d->records - 1, oldest = d->raised > DISORDER_RING ? d->raised - DISORDER_RING : 0, lo = oldest, hi;

	d->back++;
	if (d->newest - time > d->depth_time)
		d->depth_time = d->newest - time;
	if (d->deeper < oldest)
		d->deeper = oldest;
	while (d->deeper < d->raised && number - d->ring[d->deeper % DISORDER_RING].number > d->depth)
		d->deeper++;
	if (d->deeper == oldest || d->ring[(d->deeper - 1) % DISORDER_RING].time <= time)
		return;
	hi = d->deeper - 1;
	ORDER_FIND(lo, hi, i, d->ring[i % DISORDER_RING].time > time);
	d->depth = number - d->ring[lo % DISORDER_RING].number;
	d->more = lo == oldest && oldest;
	d->deeper = lo;
}

void
disorder_merge(struct disorder *d, const struct disorder *other)
{
	d->back += other->back;
	if (other->depth_time > d->depth_time)
		d->depth_time = other->depth_time;
	if (other->depth > d->depth) {
		d->depth = other->depth;
		d->more = other->more;
	}
}
