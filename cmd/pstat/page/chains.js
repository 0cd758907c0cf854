// SPDX-License-Identifier: ISC
// Call chains of the page as two graphs, of outermost functions first and of innermost ones, with the samples of a window of time
// (flame.c has what #chains-data holds).  Of a comparison, these are of B, and `a' has those of A.
"use strict";
globalThis.chains = (() => {
const data = JSON.parse(document.getElementById("chains-data").textContent);
const WORK = 400000;			// at most so many pairs inverted boxes are made of unasked

// ---- the data -------------------------------------------------------------------------------------

function* numbers(base64) {
	const text = atob(base64);
	let n = 0, by = 1;
	for (let i = 0; i < text.length; i++) {
		const byte = text.charCodeAt(i);
		n += (byte & 127) * by;
		by *= 128;
		if (byte < 128) {
			yield n;
			n = 0;
			by = 1;
		}
	}
}
const names = data.names, N = data.nodes;
const up = new Uint32Array(N), name = new Uint32Array(N), level = new Uint32Array(N);
{
	const it = numbers(data.tree);
	for (let i = 1; i < N; i++) {
		up[i] = i - it.next().value;
		name[i] = it.next().value;
		level[i] = level[up[i]] + 1;
	}
}
const first = new Uint32Array(N), next = new Uint32Array(N);	// child, sibling; 0: none
{
	const last = new Uint32Array(N);
	for (let i = 1; i < N; i++) {
		if (last[up[i]])
			next[last[up[i]]] = i;
		else
			first[up[i]] = i;
		last[up[i]] = i;
	}
}
// Samples by time: the node of each pair, its count, and of each bin { column, columns, pair, end }: the first column, and its pairs.
function timesOf({ bins, pairs, times }) {
	const leaf = new Uint32Array(pairs), count = new Float64Array(pairs), it = numbers(times), list = [];
	let pair = 0, column = 0;
	for (let b = 0; b < bins; b++) {
		const columns = it.next().value, end = pair + it.next().value;
		list.push({ column, columns, pair, end });
		column += columns;
		for (let node = 0; pair < end; pair++) {
			leaf[pair] = node += it.next().value;
			count[pair] = it.next().value;
		}
	}
	return { leaf, count, bins: list };
}
const { leaf, count, bins } = timesOf(data);
function add(self, total, { leaf, count }, list) {
	self.fill(0);
	for (const bin of list)
		for (let k = bin.pair; k < bin.end; k++)
			self[leaf[k]] += count[k];
	total.set(self);
	for (let i = N - 1; i > 0; i--)
		total[up[i]] += total[i];
}

const self = new Float64Array(N), total = new Float64Array(N);	// of the window
const a = data.a && { self: new Float64Array(N), total: new Float64Array(N) };	// what is compared with
if (a) {
	const times = timesOf(data.a);
	add(a.self, a.total, times, times.bins);
}
function sum(list) {
	add(self, total, { leaf, count }, list);
	inverted.clear();
}

// ---- the graph, outermost functions first, and the inverted one -------------------------------------
// Nodes are numbers; 0 is all.

const upright = {
	up: (i) => up[i], name: (i) => name[i], total: (i) => total[i], self: (i) => self[i], before: (i) => a.total[i],
	children(i) {
		const list = [];
		for (let c = first[i]; c; c = next[c])
			if (total[c])
				list.push(c);
		return list;
	},
	isOpen: () => true,
	key: (i) => String(i),
	find: (key) => /^\d+$/.test(key) && +key < N ? +key : 0,
};

// Below a box stand the callers of its function, on the way that leads there; they are found when they are asked for.
const inverted = {
	node: [], work: 0,
	clear() {
		this.node = [{ up: 0, name: 0, total: total[0], self: 0, before: a?.total[0], from: null, fromA: null, children: null }];
	},
	up: (i) => inverted.node[i].up, name: (i) => inverted.node[i].name, total: (i) => inverted.node[i].total,
	self: (i) => inverted.node[i].self,		// samples of chains that begin here
	before: (i) => inverted.node[i].before,
	children(i, open) {
		const node = this.node[i];
		if (node.children)
			return node.children;
		const pairs = node.from ?? this.leaves(self), was = a ? node.fromA ?? this.leaves(a.self) : [];
		if (!open && this.work > WORK)
			return [];
		this.work += pairs.size + (was.size ?? 0);
		const by = new Map();	// name: { total, self, before, from, fromA: Maps of nodes }
		const caller = (at) => {
			const k = i ? up[at] : at;
			let to = by.get(name[k]);
			if (k && !to)
				by.set(name[k], to = { up: i, name: name[k], total: 0, self: 0, before: 0, from: new Map(), fromA: a ? new Map() : null, children: null });
			return [k, to];
		};
		for (const [at, n] of pairs) {
			const [k, to] = caller(at);
			if (!k) {
				node.self += n;
				continue;
			}
			to.total += n;
			to.from.set(k, (to.from.get(k) ?? 0) + n);
		}
		for (const [at, n] of was) {
			const [k, to] = caller(at);
			if (k) {
				to.before += n;
				to.fromA.set(k, (to.fromA.get(k) ?? 0) + n);
			}
		}
		return node.children = [...by.values()].filter((c) => c.total).sort((a, b) => b.total - a.total || a.name - b.name)
		    .map((c) => this.node.push(c) - 1);
	},
	leaves(self) {
		const all = new Map();
		for (let i = 1; i < N; i++)
			if (self[i])
				all.set(i, self[i]);
		return all;
	},
	isOpen: (i) => inverted.node[i].children !== null,
	key(i) {
		const path = [];
		for (; i; i = this.node[i].up)
			path.unshift(this.node[i].name);
		return path.join(".");
	},
	find(key) {
		let at = 0;
		for (const word of key ? key.split(".") : []) {
			const to = this.children(at, true).find((c) => this.node[c].name === +word);
			if (to === undefined)
				break;
			at = to;
		}
		return at;
	},
};

// ---- what differs -----------------------------------------------------------------------------------

// The share of n in B less that of `was' in A; does chance explain it?  As diff_error() of diff.c.
function differs(was, n) {
	const variance = (n, all) => { const m = all + 2, p = (n + 1) / m; return p * (1 - p) / m; };
	const all = a.total[0], by = all && total[0] ? n / total[0] - was / all : 0;
	return { by, noise: !by || Math.abs(by) < 2 * Math.sqrt(variance(was, all) + variance(n, total[0])) };
}
const points = ({ by, noise }) => (by < 0 ? "−" : "+") + (Math.abs(by) * 100).toFixed(2) + (noise ? " ~" : "");

// The class of a difference (panel_change_step() of panel.h), from d0, much less, to d8, much more.
function changeOf(was, n) {
	const { by, noise } = differs(was, n), ppm = Math.round(Math.abs(by) * 1e6);
	const step = noise ? 0 : ppm < 10000 ? 1 : ppm < 30000 ? 2 : ppm < 100000 ? 3 : 4;
	return "d" + (by < 0 ? 4 - step : 4 + step);
}

return { data, names, N, up, name, level, self, total, a, bins, sum, upright, inverted, differs, points, changeOf };
})();
