#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""kernels.py [-i N] [-g EVENT:FIELD] [-n FROM=TO] [-p TEXT] [-t NS] [-x] <IN >OUT: a stream with tracepoints as another kernel would have recorded it

-i N: the numbers of all tracepoints are N larger.  -g sched_switch:prev_state: a u64 `added' stands before that field, and what follows
it is 8 bytes later, in the format and in each payload; may be repeated.  -n sched_switch=sched_other: another name.  -p: entries of the printk
formats.  -t: times are so many ns later.  -x: without TRACING_DATA.
Only of streams whose samples have no call chains and no READ, without -z."""
import argparse, re, struct, sys

ATTR, FEATURE, TRACING, SAMPLE, UPDATE = 64, 80, 66, 9, 78
RAW = 1 << 10
FIXED = 1 << 16, 1, 2, 4, 8, 64, 512, 128, 256		# the words before RAW: IDENTIFIER IP TID TIME ADDR ID STREAM_ID CPU PERIOD
CHAIN, READ, TIME_AT = 32, 16, (1 << 16, 1, 2)

class Stream:
	def __init__(self, data, opts):
		self.data, self.opts = data, opts
		self.e = "<" if struct.unpack_from("<Q", data, 8)[0] == 16 else ">"
		self.ids, self.attr, self.format, self.order = {}, [], {}, "<"

	def get(self, what, p, at):
		return struct.unpack_from(self.e + what, p, at)[0]

	def records(self):
		at = 16
		while at < len(self.data):
			kind, misc, size = struct.unpack_from(self.e + "IHH", self.data, at)
			more = self.get("I", self.data, at + 8) if kind == TRACING else 0
			yield kind, self.data[at:at + size], self.data[at + size:at + size + more]
			at += size + more

	# the text as the other kernel has it; remembers where payloads grow
	def text(self, text):
		name, number = re.match(rb"name: (.*)\nID: (\d+)\n", text).groups()
		old, new = int(number), int(number) + self.opts.i
		places = []
		for grow in self.opts.g:
			event, field = grow.encode().split(b":")
			if event == name:
				line = re.search(rb"\tfield:[^\n]*\b" + field + rb"(\[\d+\])?;\toffset:(\d+);[^\n]*\n", text)
				at = int(line[2])
				places.append(at)
				text = text[:line.start()] + b"\tfield:u64 added;\toffset:%d;\tsize:8;\tsigned:0;\n" % at + \
				    re.sub(rb"offset:(\d+);", lambda m: b"offset:%d;" % (int(m[1]) + 8), text[line.start():])
		dynamic = [int(n) for n in re.findall(rb"field:__data_loc [^\n]*offset:(\d+);", text)]
		for change in self.opts.n:
			was, now = change.encode().split(b"=")
			if was == name:
				text = text.replace(b"name: " + was + b"\n", b"name: " + now + b"\n", 1)
		self.format[old] = new, places, dynamic
		return text.replace(b"ID: %d\n" % old, b"ID: %d\n" % new, 1)

	def tracing(self, p):
		at = p.index(b"\0") + 1
		self.order = e = ">" if p[at] else "<"
		at += 6
		for _ in range(2):
			at = p.index(b"\0", at) + 1
			at += 8 + struct.unpack_from(e + "Q", p, at)[0]
		out = [p[:at]]

		def number(what):
			nonlocal at
			at += struct.calcsize(what)
			return struct.unpack_from(e + what, p, at - struct.calcsize(what))[0]

		def texts():
			nonlocal at
			n = number("I")
			out.append(struct.pack(e + "I", n))
			for _ in range(n):
				size = number("Q")
				text = self.text(p[at:at + size])
				out.append(struct.pack(e + "Q", len(text)) + text)
				at += size

		texts()
		n = number("I")
		out.append(struct.pack(e + "I", n))
		for _ in range(n):
			end = p.index(b"\0", at) + 1
			out.append(p[at:end])
			at = end
			texts()
		out.append(p[at:at + 4])		# kallsyms: none
		at += 4
		size = number("I")
		printk = p[at:at + size] + self.opts.p.encode().decode("unicode_escape").encode()
		out.append(struct.pack(e + "I", len(printk)) + printk)
		at += size
		out.append(p[at:at + 8 + struct.unpack_from(e + "Q", p, at)[0]])
		out = b"".join(out)
		return out + bytes(-len(out) % 8)

	def number_of(self, attr):
		config = self.get("Q", attr, 8)
		if self.get("I", attr, 0) != 2 or config not in self.format:
			return attr
		return attr[:8] + struct.pack(self.e + "Q", self.format[config][0]) + attr[16:]

	# the event of a sample, by the words that hold its id
	def event(self, r):
		kind = self.get("Q", self.attr[0], 24)
		if len(self.attr) == 1:
			return self.attr[0]
		at = 8 if kind & FIXED[0] else 8 + 8 * sum(bool(kind & bit) for bit in FIXED[:FIXED.index(64)])
		return self.ids[self.get("Q", r, at)]

	def sample(self, r):
		attr = self.event(r)
		kind, config = self.get("Q", attr, 24), self.get("Q", attr, 8)
		if self.opts.t and kind & 4:
			at = 8 + 8 * sum(bool(kind & bit) for bit in TIME_AT)
			r = r[:at] + struct.pack(self.e + "Q", self.get("Q", r, at) + self.opts.t) + r[at + 8:]
		if config not in self.format or not kind & RAW or kind & (CHAIN | READ):
			return r
		new, places, dynamic = self.format[config]
		at = 8 + 8 * sum(bool(kind & bit) for bit in FIXED)
		size = self.get("I", r, at)
		raw = bytearray(r[at + 4:at + 4 + size])
		struct.pack_into(self.order + "H", raw, 0, new)
		for grow in places:
			raw[grow:grow] = bytes(range(65, 73))
		for d in dynamic:
			struct.pack_into(self.order + "I", raw, d, struct.unpack_from(self.order + "I", raw, d)[0] + 8 * len(places))
		out = r[:at] + struct.pack(self.e + "I", len(raw)) + bytes(raw) + r[at + 4 + size:]
		return struct.pack(self.e + "IHH", *struct.unpack_from(self.e + "IH", r), len(out)) + out[8:]

	def run(self, out):
		all = list(self.records())
		tracing = [self.tracing(payload) for kind, _, payload in all if kind == TRACING]
		out.write(self.data[:16])
		for kind, r, _ in all:
			if kind == ATTR:
				size = self.get("I", r, 12)
				self.attr.append(r[8:8 + size])
				for at in range(8 + size, len(r), 8):
					self.ids[self.get("Q", r, at)] = r[8:8 + size]
				r = r[:8] + self.number_of(r[8:8 + size]) + r[8 + size:]
			elif kind == FEATURE:
				for attr in self.attr:
					r = r.replace(attr, self.number_of(attr))
			elif kind == SAMPLE:
				r = self.sample(r)
			elif kind == TRACING:
				if not self.opts.x:
					out.write(r[:8] + struct.pack(self.e + "I", len(tracing[0])) + r[12:] + tracing[0])
				continue
			out.write(r)

a = argparse.ArgumentParser()
a.add_argument("-i", type=int, default=0)
a.add_argument("-g", action="append", default=[])
a.add_argument("-n", action="append", default=[])
a.add_argument("-p", default="")
a.add_argument("-t", type=int, default=0)
a.add_argument("-x", action="store_true")
Stream(sys.stdin.buffer.read(), a.parse_args()).run(sys.stdout.buffer)
