# SPDX-License-Identifier: ISC
"""What the readers of streams in these tests know of types of records: which have bytes behind them, and which is the newest.

Written by hand, and independent of common/record/record.def; 14-rows complains if that has a type which is not here."""
import struct

COUNT = {66: "I", 71: "Q"}		# TRACING_DATA, AUXTRACE: the first field says how many
NEWEST = 86				# that any perf knows


def behind(order, kind, data, at):
    """The bytes behind the record at `at', in the byte order "<", ">" or "="."""
    return struct.unpack_from(order + COUNT[kind], data, at + 8)[0] if kind in COUNT else 0
