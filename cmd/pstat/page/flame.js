// SPDX-License-Identifier: ISC
// The flame graph of the page, drawn again of a window of time, a box or the leaves (chains.js has the graphs).  page.js,
// which comes behind it, has the selection and the fragment.  Of a comparison, widths are of B, and colours say how that differs from A.
"use strict";
globalThis.flame = (() => {
const $ = (id) => document.getElementById(id);
const { data, names, N, up, name, level, self, total, a, bins, sum, upright, inverted, differs, points, changeOf } = globalThis.chains;
const SVG = "http://www.w3.org/2000/svg";
const ROW = 17, LETTER = 6.2, WORDY = 24;	// pixels; boxes wider than WORDY have a text
// At most: boxes drawn, levels below the zoomed one, boxes above it, names of these; rows.
const BOXES = 4000, LEVELS = 250, ANCESTORS = 30, PATH = 15, FUNCTIONS = 200;
const OTHER = 5, KINDS = ["kernel", "user", "JIT", "no name", "no map", "other"];

// ---- state ------------------------------------------------------------------------------------------

let columns = null;			// what page.js says of time: { from, end, changed, hint, button, oneStop }
let time = null, asked = "";		// [column, column] of the selection; key of what was drawn
let view = upright, zoom = 0, at = 0;	// nodes: of the widest box, of the box that the keyboard is at
let picked = 0;				// node of the comm that is selected
let text = "", hits = null;		// of the search; by name: does it match?  null: none was asked for, or it is no expression
let sortBy = "self";

const comma = (n) => n.toLocaleString("en-US");
const samples = (n) => comma(n) + (n === 1 ? " sample" : " samples");
const share = (n, of) => of && n ? n / of * 100 < .1 ? "<0.1%" : (n / of * 100).toFixed(1) + "%" : "0.0%";
const nameOf = (i) => i ? names[view.name(i)] : "all";

// Bins that have some of the selected columns: they may be wider.
const inWindow = () => time ? bins.filter((b) => b.columns && b.column <= time[1] && b.column + b.columns > time[0]) : bins;

// The class of a name: its kind, and a shade by a hash as svg_flame.c has it, so that a function has one everywhere.
const classes = [];
function classOf(i) {
	if (a)
		return changeOf(view.before(i), view.total(i));
	if (!i)
		return "f50";
	const k = view.name(i);
	if (!classes[k]) {
		let hash = 2166136261;
		for (const byte of new TextEncoder().encode(names[k]))
			hash = Math.imul(hash ^ byte, 16777619);
		classes[k] = "f" + data.kinds[k] + ((hash ^ hash >>> 16) >>> 0) % 4;
	}
	return classes[k];
}

// ---- search -----------------------------------------------------------------------------------------

// `/expression/', with flags, or text in any case.
function search(words) {
	const [, source, flags] = words.match(/^\/(.+)\/([imsu]*)$/) ?? [], low = words.toLowerCase();
	text = words;
	hits = null;
	try {
		const expression = source && new RegExp(source, flags);
		hits = words ? Uint8Array.from(names, (s) => expression ? expression.test(s) : s.toLowerCase().includes(low)) : null;
	} catch {}			// it is none
	if (hits)
		hits[0] = 0;		// all
}

// The samples of chains with a match, each once; of node `of' of the upright graph.
function matched(of, total) {
	const seen = new Uint8Array(N);
	let n = 0;
	for (let i = of; i && !seen[of]; i = up[i])
		seen[of] = hits[name[i]];
	if (seen[of])
		return total[of];
	for (let i = of + 1; i < N && level[i] > level[of]; i++)
		if (seen[up[i]])
			seen[i] = 1;
		else if (hits[name[i]]) {
			seen[i] = 1;
			n += total[i];
		}
	return n;
}

// ---- drawing ----------------------------------------------------------------------------------------

const figure = $("chains").querySelector("figure");
const svg = document.createElementNS(SVG, "svg"), mark = document.createElementNS(SVG, "rect");
let drawn = 0;				// the width that it is drawn for
let boxes = [], rows = [], place = new Map();	// { i, x, w, row, above }; of each row, from the left; by node

function cut(s, room) {
	const letters = [...s];
	return letters.length <= room ? s : letters.slice(0, Math.max(room - 1, 0)).join("") + "…";
}

// Where the last component of a name of C++ or Rust begins; else 0 (panel_inner() of scale.c).
function inner(s) {
	let depth = 0, at = 0;
	for (let i = 0; i + 2 < s.length; i++)
		if ("<({[".includes(s[i]))
			depth++;
		else if (depth && ">)}]".includes(s[i]))
			depth--;
		else if (!depth && s[i] === ":" && s[i + 1] === ":")
			at = i + 2;
	return at;
}
function label(i, width) {
	const s = nameOf(i), room = Math.floor((width - 6) / LETTER), part = s.length > room ? s.slice(inner(s)) : s;
	return cut(part.length < s.length && part.length < room ? "…" + part : part, room);
}

// Boxes that are wide enough, ancestors of `zoom' above it; how many have no place.
function layout(width) {
	const path = [];
	let least = .5, left;
	for (let i = zoom; i; i = view.up(i))
		path.unshift(view.up(i));
	const above = path.slice(-ANCESTORS), of = view.total(zoom) || 1;
	do {
		left = { narrow: 0, deep: 0 };
		boxes = above.map((i, row) => ({ i, x: 0, w: width, row, above: true }));
		const wait = [{ i: zoom, x: 0, w: width, row: above.length }];
		inverted.work = 0;
		while (wait.length && boxes.length <= BOXES) {
			const box = wait.pop(), children = view.children(box.i, box.i === zoom), more = [];
			let x = box.x;
			boxes.push(box);
			for (const i of children) {
				const w = view.total(i) / of * width;
				if (w < least)
					left.narrow++;
				else if (box.row - above.length > LEVELS)
					left.deep++;
				else
					more.push({ i, x, w, row: box.row + 1 });
				x += w;
			}
			wait.push(...more.reverse());	// the first one, of leaves the heaviest, has its children before there is too much work
		}
		least *= 1.5;
	} while (boxes.length > BOXES);
	boxes.sort((a, b) => a.row - b.row || a.x - b.x);
	rows = [];
	for (const box of boxes)
		(rows[box.row] ??= []).push(box);
	place = new Map(boxes.map((box) => [box.i, box]));
	return left;
}

function element(kind, members) {
	const e = document.createElementNS(SVG, kind);
	for (const [key, value] of Object.entries(members))
		e.setAttribute(key, value);
	return e;
}

function draw() {
	drawn = figure.clientWidth;
	const width = Math.max(drawn, 200), left = layout(width), all = document.createDocumentFragment();
	for (const box of boxes) {
		const hit = hits && box.i && hits[view.name(box.i)];
		const g = element("g", { class: (box.above ? "above" : "") + (hit ? " hit" : "") + (view.isOpen(box.i) ? "" : " closed") });
		g.append(element("rect", { x: box.x.toFixed(2), y: box.row * ROW, width: Math.max(box.w - (box.w > 2 ? .4 : 0), .5).toFixed(2),
		    height: ROW - 1, class: classOf(box.i) }));
		if (box.w > WORDY) {
			const t = element("text", { x: (box.x + 3).toFixed(2), y: box.row * ROW + 12, class: "b" });
			t.textContent = label(box.i, box.w);
			g.append(t);
		}
		all.append(g);
	}
	all.append(mark);
	svg.setAttribute("viewBox", [0, 0, width, rows.length * ROW].join(" "));
	svg.setAttribute("width", width);
	svg.setAttribute("height", rows.length * ROW);
	svg.replaceChildren(all);
	if (!place.has(at))
		at = zoom;
	head(left);
	path();
	here();
}

function head(left) {
	const has = inWindow().filter((b) => b.columns), words = [samples(total[0]) + (a ? " of B" : "")];
	if (time && has.length) {
		const [a, b] = [has[0].column, has.at(-1).column + has.at(-1).columns - 1];
		words[0] += ` from ${columns.from(a)} to ${columns.end(b)} s`;
		if (a < time[0] || b > time[1])
			words.push("wider than what is selected: so wide are the bins of call chains");
	}
	words.push(boxes.length === 1 ? "1 box" : comma(boxes.length) + " boxes");
	if (left.narrow)
		words.push(comma(left.narrow) + (left.narrow === 1 ? " part is" : " parts are") + " too narrow to be drawn");
	if (left.deep)
		words.push(comma(left.deep) + (left.deep === 1 ? " is" : " are") + " too deep");
	$("chains-head").textContent = words.join("; ") + ".";
	legend();
	$("found").textContent = hits ? found() : text ? "that is no expression" : "";
}

function found() {
	const all = matched(0, total), here = zoom && view === upright ? matched(zoom, total) : null, was = a ? matched(0, a.total) : 0;
	return `in ${samples(all)}, ${share(all, total[0])}` + (a ? `; A: ${comma(was)}, ${share(was, a.total[0])}; ${points(differs(was, all))} points` : "") + (here === null ? "" : `; in this box ${comma(here)}, ${share(here, total[zoom])} of it`);
}

// What the colours of a comparison mean.
const CHANGES = ["≥ 10 points less in B", "3 to 10", "1 to 3", "less than 1", "noise", "less than 1", "1 to 3", "3 to 10",
	"≥ 10 points more in B"];
function keyOf(colour, word) {
	const key = document.createElement("span"), box = element("svg", { class: "pic key", width: 10, height: 10 });
	box.append(element("rect", { class: colour, width: 10, height: 10 }));
	key.append(box, " " + word);
	return key;
}

// What colours mean, and the share of the samples that end in such boxes.
function legend() {
	if (a) {
		$("chains-kinds").replaceChildren(...CHANGES.map((word, k) => keyOf("d" + k, word)));
		return;
	}
	const ends = new Array(KINDS.length).fill(0), is = new Set(boxes.map((box) => +classOf(box.i)[1]));
	for (let i = 0; i < N; i++)
		ends[i ? +data.kinds[name[i]] : OTHER] += self[i];
	$("chains-kinds").replaceChildren(...KINDS.flatMap((word, k) => is.has(k) ?
	    [keyOf("f" + k + "0", word + (ends[k] ? " " + share(ends[k], total[0]) : ""))] : []));
}

// The boxes below the zoomed one, each of which zooms; of many, the last ones.
function path() {
	const list = [];
	for (let i = zoom; i; i = view.up(i))
		list.unshift(i);
	const left = list.length - PATH, words = [0, ...list.slice(-PATH)].flatMap((i, k) => {
		const b = document.createElement("button"), s = nameOf(i);
		b.type = "button";
		b.textContent = cut(s.slice(inner(s)), 40);
		b.title = cut(s, 400);
		b.addEventListener("click", () => zoomTo(i));
		return [k === 1 && left > 0 ? ` › ${comma(left)} more › ` : k ? " › " : "", b];
	});
	$("chains-path").replaceChildren(...zoom ? words : []);
}

function describe(i) {
	const words = [cut(nameOf(i), 400), samples(view.total(i)), share(view.total(i), total[0])];
	if (zoom && i !== zoom && !place.get(i)?.above)
		words.push(share(view.total(i), view.total(zoom)) + " of " + cut(nameOf(zoom), 60));
	if (!view.isOpen(i))
		words.push("Enter shows what calls it");
	words.push((view === inverted ? "chains that begin here " : "self ") + comma(view.self(i)));
	if (a)
		words.push(`A: ${comma(view.before(i))}, ${share(view.before(i), a.total[0])}`, points(differs(view.before(i), view.total(i))) + " points");
	return words.join(" · ");
}
const tell = (i) => { $("at").textContent = describe(i); };

// The box that the keyboard is at.
function here() {
	const box = place.get(at);
	for (const [key, value] of Object.entries({ x: box.x, y: box.row * ROW, width: Math.max(box.w - .5, 1), height: ROW - 1, class: "here" }))
		mark.setAttribute(key, value);
	if (document.activeElement === figure)
		tell(at);
}

// ---- functions --------------------------------------------------------------------------------------

const SORTS = a ? { name: 0, selfA: 1, selfB: 2, self: 3, totalA: 4, totalB: 5, total: 6 } : { name: 0, self: 1, total: 3 };	// column of the table
const table = $("functions"), heads = [...table.tHead.rows[0].cells];

// By name: the samples that end in it, and those of chains that have it, each once.
function byName(self, total) {
	const n = names.length, own = new Float64Array(n), all = new Float64Array(n), open = new Uint32Array(n);
	for (let i = 1, before = 0; i < N; before = i++) {
		for (; before !== up[i]; before = up[before])
			open[name[before]]--;
		own[name[i]] += self[i];
		if (!open[name[i]]++)
			all[name[i]] += total[i];
	}
	return { own, all };
}
// The cells of a row behind the name: [text, title], and by what it is sorted, the most important first.
function cellsOf({ own, all }) {
	return {
		cells: (k) => [comma(own[k]), share(own[k], total[0]), comma(all[k]), share(all[k], total[0])].map((s) => [s, ""]),
		value: (k) => sortBy === "total" ? [all[k], own[k]] : [own[k], all[k]],
	};
}
function cellsOfChange(is, was) {
	const three = (n, m) => [[share(m, a.total[0]), samples(m)], [share(n, total[0]), samples(n)], [points(differs(m, n)), ""]];
	const by = (what, k) => Math.abs(differs(was[what][k], is[what][k]).by);
	const value = { self: (k) => by("own", k), total: (k) => by("all", k), selfA: (k) => was.own[k], selfB: (k) => is.own[k],
		totalA: (k) => was.all[k], totalB: (k) => is.all[k] };
	return {
		cells: (k) => [...three(is.own[k], was.own[k]), ...three(is.all[k], was.all[k])],
		value: (k) => [value[sortBy](k), value[/^self/.test(sortBy) ? "total" : "self"](k)],
		only: (k) => !is.all[k] ? "only in A" : !was.all[k] ? "only in B" : "",
	};
}
function functions() {
	const is = byName(self, total), was = a && byName(a.self, a.total), of = a ? cellsOfChange(is, was) : cellsOf(is);
	const list = [...names.keys()].filter((k) => (is.all[k] || was?.all[k]) && +data.kinds[k] !== OTHER), value = new Map();
	if (sortBy === "name")
		list.sort((a, b) => names[a].localeCompare(names[b]));
	else {
		for (const k of list)
			value.set(k, of.value(k));
		list.sort((a, b) => value.get(b)[0] - value.get(a)[0] || value.get(b)[1] - value.get(a)[1] || a - b);
	}
	table.tBodies[0].replaceChildren(...list.slice(0, FUNCTIONS).map((k, i) => {
		const tr = document.createElement("tr"), th = document.createElement("th"), b = document.createElement("button");
		th.scope = "row";
		th.className = "t";
		b.type = "button";
		b.tabIndex = i ? -1 : 0;
		b.textContent = cut(names[k], 120);
		b.dataset.k = k;
		b.setAttribute("aria-pressed", text === exactly(names[k]));
		th.append(b);
		if (of.only?.(k)) {
			const only = document.createElement("span");
			only.className = "only";
			only.textContent = of.only(k);
			th.append(" ", only);
		}
		tr.append(th);
		for (const [cell, title] of of.cells(k)) {
			const td = tr.insertCell();
			td.textContent = cell;
			if (title)
				td.title = title;
			td.classList.toggle("noise", cell.endsWith("~"));
		}
		return tr;
	}));
	if (list.length > FUNCTIONS) {
		const tr = table.tBodies[0].insertRow();
		tr.className = "rest";
		tr.insertCell().textContent = comma(list.length - FUNCTIONS) + " more";
		tr.cells[0].className = "t";
	}
	heads.forEach((th) => th.removeAttribute("aria-sort"));
	heads[SORTS[sortBy]].setAttribute("aria-sort", sortBy === "name" ? "ascending" : "descending");
}
const exactly = (s) => "/^" + s.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&") + "$/";

// ---- what changes it --------------------------------------------------------------------------------

let late = 0;
function later() {
	late ||= requestAnimationFrame(redraw);
}
function redraw() {
	const key = time ? time.join() : "";
	cancelAnimationFrame(late);
	late = 0;
	if (key !== asked) {
		const here = [zoom, at].map((i) => view.key(i));
		asked = key;
		sum(inWindow());
		[zoom, at] = here.map((k) => view.find(k));
		functions();
	}
	draw();
}
function changed() {
	redraw();
	columns.changed();
}
function zoomTo(i) {
	zoom = at = i;
	changed();
}
function invert(on) {
	view = on ? inverted : upright;
	zoom = at = 0;
	$("inverted").setAttribute("aria-pressed", on);
}
function find(words) {
	search(words);
	$("find").value = words;
	for (const b of table.querySelectorAll("button[data-k]"))
		b.setAttribute("aria-pressed", words === exactly(names[b.dataset.k]));
}

// The middle of the pixel that the mouse is at counts: it says whole ones.
function boxAt(event) {
	const r = svg.getBoundingClientRect(), row = rows[Math.floor((event.clientY + .5 - r.top) / r.height * rows.length)];
	const x = (event.clientX + .5 - r.left) / r.width * svg.viewBox.baseVal.width;
	return row?.findLast((box) => box.x <= x && x < box.x + Math.max(box.w, 1))?.i ?? null;
}

// The box to the left or right of it in its row; its heaviest child, if that is drawn; that below it.
function neighbour(key) {
	const box = place.get(at), row = rows[box.row], k = row.indexOf(box);
	const heaviest = () => rows[box.row + 1]?.reduce((best, b) => (box.above ? rows[box.row + 1][0] === b : view.up(b.i) === at) &&
	    (best === null || b.w > best.w) ? b : best, null);
	return { ArrowLeft: row[k - 1], ArrowRight: row[k + 1], ArrowDown: heaviest(), ArrowUp: box.row ? place.get(view.up(at)) : null,
	    Home: row[0], End: row.at(-1) }[key];
}

function start(of) {
	columns = of;
	$("chains-tools").hidden = false;
	$("at").setAttribute("aria-live", "polite");
	svg.setAttribute("class", "pic");
	svg.setAttribute("aria-hidden", "true");	// the line below says what it has
	figure.replaceChildren(svg);			// the caption is of all samples
	figure.className = "live-flame";
	$("chains").querySelector(".chains").classList.add("live-chains");
	figure.tabIndex = 0;
	figure.setAttribute("role", "group");
	figure.setAttribute("aria-label", "Flame graph. Arrow keys go down to the heaviest function that is called, up to the caller, " +
	    "left and right to neighbours; Enter shows only the box, Escape or 0 all.");
	svg.addEventListener("click", (event) => {
		const i = boxAt(event);
		if (i !== null)
			zoomTo(i);
	});
	svg.addEventListener("pointermove", (event) => tell(boxAt(event) ?? at));
	svg.addEventListener("pointerleave", () => { $("at").textContent = document.activeElement === figure ? describe(at) : columns.hint; });
	figure.addEventListener("focus", () => tell(at));
	figure.addEventListener("keydown", (event) => {
		if (event.ctrlKey || event.altKey || event.metaKey)
			return;
		if (late)
			redraw();
		if (event.key === "Enter" || event.key === " ")
			zoomTo(at);
		else if (event.key === "Escape" || event.key === "0")
			zoomTo(0);
		else if (/^(Arrow|Home|End)/.test(event.key)) {
			const box = neighbour(event.key);
			if (box) {
				at = box.i;
				here();
				mark.scrollIntoView({ block: "nearest" });
			}
		} else
			return;
		event.preventDefault();
	});
	$("find").addEventListener("input", (event) => {
		find(event.target.value);
		changed();
	});
	$("inverted").addEventListener("click", () => {
		invert(view === upright);
		changed();
	});
	for (const key of Object.keys(SORTS))
		of.button(heads[SORTS[key]]).addEventListener("click", () => {
			sortBy = key;
			functions();
		});
	table.tBodies[0].addEventListener("click", (event) => {
		const b = event.target.closest("tr")?.querySelector("button[data-k]"), word = b && exactly(names[b.dataset.k]);
		if (word) {
			find(word === text ? "" : word);
			changed();
		}
	});
	of.oneStop(table);
	sum(bins);
	functions();
	new ResizeObserver(() => {
		if (figure.clientWidth !== drawn)
			later();
	}).observe(figure);
}

return {
	start,
	// The selection is this: columns, or null.
	select(of) {
		time = of;
		if ((time ? time.join() : "") !== asked)
			later();
	},
	// The heaviest box of that comm; null: all.
	comm(key) {
		invert(false);
		picked = 0;
		for (let i = 1; i < N && key !== null; i++)
			if (level[i] === data.above && names[name[i]] === key && (!picked || total[i] > total[picked]))
				picked = i;
		zoom = at = picked;
		later();
	},
	// Words of the fragment, [key, value], and back.
	words() {
		return [...view === inverted ? [["inverted", view.key(zoom)]] : zoom !== picked ? [["zoom", view.key(zoom)]] : [], ...text ? [["find", text]] : []];
	},
	clear() {
		invert(false);
		picked = 0;
		find("");
		later();
	},
	read(key, value) {
		if (key === "find")
			find(value);
		else if (key === "zoom" || key === "inverted") {
			if (late)
				redraw();
			invert(key === "inverted");
			zoom = at = view.find(value);
		} else
			return false;
		later();
		return true;
	},
};
})();
