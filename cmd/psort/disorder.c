/* SPDX-License-Identifier: ISC */
/* disorder.c - how far out of order records came */
#include "disorder.h"
#include "record/order.h"

void
disorder_add(struct disorder *d, uint64_t time)
{
	uint64_t number = d->records++, oldest, lo, hi = d->raised, depth;

	if (!hi || time >= d->ring[(hi - 1) % DISORDER_RING].time) {
		if (!hi || time > d->ring[(hi - 1) % DISORDER_RING].time) {
			d->ring[hi % DISORDER_RING].time = time;
			d->ring[hi % DISORDER_RING].number = number;
			d->raised++;
		}
		return;
	}
	d->back++;
	if (d->ring[(hi - 1) % DISORDER_RING].time - time > d->depth_time)
		d->depth_time = d->ring[(hi - 1) % DISORDER_RING].time - time;
	oldest = lo = hi > DISORDER_RING ? hi - DISORDER_RING : 0;
	hi--;				/* the last entry is newer */
	ORDER_FIND(lo, hi, i, d->ring[i % DISORDER_RING].time > time);
	depth = number - d->ring[lo % DISORDER_RING].number;
	if (depth > d->depth) {
		d->depth = depth;
		d->more = lo == oldest && oldest;
	}
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
