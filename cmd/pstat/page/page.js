// SPDX-License-Identifier: ISC
// The page is whole without this.  It sorts tables, says what is under the pointer, and turns a selection of time and rows into
// the command of pfilter that cuts it, with the number of samples that the page counted there (data.c has what #data holds).
"use strict";
(() => {
const $ = (id) => document.getElementById(id);
const data = JSON.parse($("data").textContent);
const tables = [...document.querySelectorAll("table[data-g]")];
const figures = [];			// { figure, svg, mark, parts: [ms from, ms to, x from, x to] }
const flame = globalThis.flame;		// flame.js, if there are call chains
const HINT = data.hint ?? "Drag over a picture to select a time; select rows of tables, CPUs and processes by a click.";

// ---- counts by column -----------------------------------------------------------------------------

const start = [];			// of each column, ms
for (const [ms, n] of data.runs)
	for (let i = 0; i < n; i++)
		start.push(ms + i * data.width);
const unpack = (list) => list.flatMap((n) => n < 0 ? new Array(-n).fill(0) : n);
const total = data.total && unpack(data.total);
const counts = new Map(data.rows.map(([option, list]) => [option, unpack(list)]));
const sum = (list, a, b) => list.slice(a, b + 1).reduce((s, n) => s + n, 0);
const number = (n, noun) => n.toLocaleString("en-US") + " " + noun + (n === 1 ? "" : "s");

// The last column that begins at that time or before it.
function column(ms) {
	let low = 0, high = start.length;
	while (high - low > 1) {
		const middle = low + high >> 1;
		if (start[middle] <= ms)
			low = middle;
		else
			high = middle;
	}
	return low;
}
const plain = (text) => text.replace(/\.?0+$/, "");
const seconds = (ms, rest) => Math.floor(ms / 1000) + "." + String(ms % 1000).padStart(3, "0") + rest;
const from = (c) => plain(seconds(start[c], ""));
const to = (c) => seconds(start[c] + data.width - 1, "999999");

// ---- the selection --------------------------------------------------------------------------------

let time = null;			// [column, column]
const rows = new Map();			// one for each table: { key, option, n, rough }

function found(table, key) {
	if (table === "picture")	// a row of a picture that no table has
		return counts.has(key) ? { key, option: key, n: sum(counts.get(key), 0, start.length) } : null;
	for (const t of tables)
		for (const tr of t.dataset.g === table ? t.tBodies[0].rows : [])
			if (tr.dataset.o && tr.cells[0].textContent === key)
				return { key, option: tr.dataset.o, n: +tr.dataset.n, rough: "rough" in t.dataset };
	return null;
}

function toggle(table, row) {
	if (row && rows.get(table)?.option === row.option)
		rows.delete(table);
	else if (row)
		rows.set(table, row);
	if (row && table === "comm")
		flame?.comm(rows.get(table)?.key ?? null);
	show();
}

// A row of a picture: that of a table, if one has the same option.
function toggleOption(option) {
	for (const t of tables)
		for (const tr of t.tBodies[0].rows)
			if (tr.dataset.o === option)
				return toggle(t.dataset.g, found(t.dataset.g, tr.cells[0].textContent));
	toggle("picture", found("picture", option));
}

function command() {
	const words = ["pfilter"];
	if (time)
		words.push("--time " + from(time[0]) + "," + to(time[1]));
	for (const row of rows.values())
		words.push(row.option);
	return words.join(" ") + " " + data.file + " >selected.data";
}

// How many samples that is; only what the page has counted is called exact.
function says() {
	const list = [...rows.values()], inTime = time && total ? sum(total, ...time) : null;
	const rough = list.some((row) => row.rough) ? "At least " : data.read ? "About " : "";
	if (!time && list.length === 1)
		return rough + number(list[0].n, "sample") + ".";
	if (time && !list.length)
		return inTime === null ? "The page has no exact count of that." : (data.read ? "About " : "") + number(inTime, "sample") + ".";
	if (time && list.length === 1 && counts.has(list[0].option))
		return rough + number(sum(counts.get(list[0].option), ...time), "sample") + ".";
	const parts = list.map((row) => [time && counts.has(row.option) ? sum(counts.get(row.option), ...time) : row.n,
	    time && counts.has(row.option) ? row.option + " in this time" : row.option]);
	if (inTime !== null)
		parts.push([inTime, "the time"]);
	return "At most " + number(Math.min(...parts.map((p) => p[0])), "sample") + "; the page has no exact count of these together, but of " +
	    parts.map((p) => p[1] + " alone: " + p[0].toLocaleString("en-US")).join("; ") + ".";
}

function show() {
	const any = time || rows.size;
	$("cmd").textContent = any ? command() : "";
	$("says").textContent = any ? says() : "";
	$("cut").hidden = !any;
	for (const t of tables)
		for (const b of t.querySelectorAll("tbody button"))
			b.setAttribute("aria-pressed", rows.get(t.dataset.g)?.key === b.textContent);
	for (const f of figures) {
		const x = time ? [place(f, start[time[0]]), place(f, start[time[1]] + data.width)] : [0, 0];
		f.mark.setAttribute("x", x[0]);
		f.mark.setAttribute("width", Math.max(0, x[1] - x[0]));
	}
	const words = [...[...rows].map(([table, row]) => [table, row.key]), ...flame?.words() ?? []]
	    .map(([key, value]) => key + ":" + encodeURIComponent(value));
	if (time)
		words.unshift("time:" + from(time[0]) + "," + to(time[1]));
	flame?.select(time);
	if (words.length || location.hash.startsWith("#select="))
		history.replaceState(null, "", words.length ? "#select=" + words.join(";") : "#");
}

// #select=time:1.5,2.25;pid:4711
function read() {
	const ms = (text) => { const [s, part] = text.split("."); return +s * 1000 + +(part ?? "").slice(0, 3).padEnd(3, "0"); };
	if (!location.hash.startsWith("#select="))
		return show();
	time = null;
	rows.clear();
	flame?.clear();
	flame?.select(null);
	for (const word of location.hash.slice(8).split(";")) {
		const [, table, value] = word.match(/^([a-z]+):(.*)$/) ?? [];
		if (table === "time" && start.length && /^[\d.]+,[\d.]+$/.test(value)) {
			time = value.split(",").map((text) => column(ms(text))).sort((a, b) => a - b);
			flame?.select(time);
		} else if (table) {
			let key = null;
			try {
				key = decodeURIComponent(value);
			} catch {}		// it is of nothing here
			const row = key === null || flame?.read(table, key) ? null : found(table, key);
			if (row)
				rows.set(table, row);
			if (row && table === "comm")
				flame?.comm(key);
		}
	}
	show();
}

// ---- pictures -------------------------------------------------------------------------------------

// Where that time is in a picture; and the time that is there.
function place(f, ms) {
	for (const [a, b, left, right] of f.parts)
		if (ms <= b)
			return ms <= a ? left : left + (right - left) * (ms - a) / (b - a);
	return f.parts.at(-1)[3];
}
function timeAt(f, x) {
	for (const [a, b, left, right] of f.parts)
		if (x < right)
			return x <= left ? a : a + (b - a) * (x - left) / (right - left);
	return f.parts.at(-1)[1] - 1;
}
function point(f, event) {
	const box = f.svg.getBoundingClientRect(), view = f.svg.viewBox.baseVal;
	return [view.x + (event.clientX - box.left) * view.width / box.width, (event.clientY - box.top) * view.height / box.height];
}

// The rows that can be selected, from above: { option, y, height }.
function rowsOf(svg) {
	const list = new Map();
	for (const { dataset, y, height } of svg.querySelectorAll("rect[data-o]")) {
		const row = list.get(dataset.o) ?? { option: dataset.o, y: y.baseVal.value, bottom: 0 };
		row.y = Math.min(row.y, y.baseVal.value);
		row.bottom = Math.max(row.bottom, y.baseVal.value + height.baseVal.value);
		list.set(dataset.o, row);
	}
	return [...list.values()].sort((a, b) => a.y - b.y);
}

// On a small screen, without the blank part of the left margin.
const small = matchMedia("(max-width:600px)");
function fit(f) {
	const { width, height } = f.size, texts = [...f.svg.querySelectorAll("text")].map((t) => t.getBBox()).filter((b) => b.width);
	const left = small.matches ? Math.max(0, Math.floor(Math.min(...texts.map((b) => b.x))) - 6) : 0;
	f.svg.setAttribute("viewBox", [left, 0, width - left, height].join(" "));
	f.svg.setAttribute("width", width - left);
	f.figure.style.width = small.matches ? width - left + "px" : "";
}

// The option of the row at that height: of any cell in it.
function optionAt(f, y) {
	for (const cell of f.svg.querySelectorAll("rect[data-o]"))
		if (y >= cell.y.baseVal.value && y < cell.y.baseVal.value + cell.height.baseVal.value)
			return cell.dataset.o;
	return null;
}

function hover(f, event) {
	const cell = event.target.closest("rect"), list = counts.get(cell?.dataset.o);
	const c = column(timeAt(f, point(f, event)[0]));
	if (list)			// a cell may be of several columns
		$("at").textContent = number(list[c], "sample") + " · " + cell.dataset.o + " · " + from(c) + " to " + to(c) + " s";
	else
		$("at").textContent = cell?.querySelector("title")?.textContent ?? HINT;
}

function drawn(id, parts) {
	const figure = $("pic" + id), svg = figure.querySelector("svg");
	const mark = document.createElementNS("http://www.w3.org/2000/svg", "rect");
	const f = { figure, svg, mark, parts, size: { width: svg.viewBox.baseVal.width, height: svg.viewBox.baseVal.height } };
	const lines = rowsOf(svg), line = mark.cloneNode();
	let at = -1;			// the row that the keyboard is at
	let began = null, moved = false;

	mark.setAttribute("class", "sel");
	mark.setAttribute("y", 46);
	mark.setAttribute("height", Math.max(...[...svg.querySelectorAll("rect")].map((c) => !c.querySelector("title") ? 0 :
	    c.y.baseVal.value + c.height.baseVal.value), 60) - 34);
	line.setAttribute("class", "sel row");
	line.setAttribute("x", 0);
	line.setAttribute("width", 0);
	svg.append(mark, line);
	fit(f);
	small.addEventListener("change", () => fit(f));
	svg.classList.add("live");
	figures.push(f);
	svg.addEventListener("pointerdown", (event) => {
		if (event.button)
			return;
		began = { x: point(f, event)[0], y: point(f, event)[1], cell: event.target.closest("[data-o]") };
		moved = false;
		svg.setPointerCapture(event.pointerId);
		event.preventDefault();
	});
	svg.addEventListener("pointermove", (event) => {
		const x = point(f, event)[0];
		if (!began)
			return hover(f, event);
		moved ||= Math.abs(x - began.x) > 4 && began.x >= parts[0][2];
		if (moved) {
			time = [column(timeAt(f, Math.min(x, began.x))), column(timeAt(f, Math.max(x, began.x)))];
			show();
		}
	});
	svg.addEventListener("pointerup", () => {
		const option = began && !moved && (began.cell?.dataset.o ?? (began.x < parts[0][2] ? optionAt(f, began.y) : null));
		began = null;
		if (option)
			toggleOption(option);
	});
	svg.addEventListener("pointercancel", () => { began = null; });
	svg.addEventListener("pointerleave", () => { $("at").textContent = HINT; });
	figure.tabIndex = 0;
	figure.setAttribute("role", "group");
	figure.setAttribute("aria-label", "Arrow keys to the left and right select a column of time, with Shift several; " +
	    (lines.length ? "up and down go to a row, Enter selects it; " : "") + "Escape selects none.");
	const goTo = (i) => {
		at = i;
		line.setAttribute("width", at < 0 ? 0 : f.size.width);
		if (at < 0)
			return;
		line.setAttribute("y", lines[at].y);
		line.setAttribute("height", lines[at].bottom - lines[at].y);
		$("at").textContent = lines[at].option + (counts.has(lines[at].option) ? " · " +
		    number(sum(counts.get(lines[at].option), 0, start.length), "sample") : "") + " · Enter selects";
	};
	figure.addEventListener("blur", () => goTo(-1));
	figure.addEventListener("keydown", (event) => {
		const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -20, PageDown: 20, Home: -start.length, End: start.length }[event.key];
		const next = (c) => Math.min(Math.max(c + step, 0), start.length - 1);
		const up = { ArrowUp: -1, ArrowDown: 1 }[event.key];
		if (event.key === "Escape") {
			time = null;
			goTo(-1);
		} else if (up && lines.length) {
			goTo(Math.min(Math.max(at + up, 0), lines.length - 1));
			event.preventDefault();
			return;
		} else if ((event.key === "Enter" || event.key === " ") && at >= 0) {
			toggleOption(lines[at].option);
			event.preventDefault();
			return;
		} else if (!step)
			return;
		else if (!time)
			time = [0, 0];
		else if (event.shiftKey)
			time[1] = Math.max(time[0], next(time[1]));
		else
			time = [next(time[0]), next(time[0])];
		event.preventDefault();
		show();
	});
}

// ---- tables ---------------------------------------------------------------------------------------

function button(cell) {
	const b = document.createElement("button");
	b.type = "button";
	b.append(...cell.childNodes);
	cell.append(b);
	return b;
}

function sortBy(table, head) {
	const up = head.getAttribute("aria-sort") === "descending", text = head.classList.contains("t"), i = head.cellIndex;
	const value = (tr) => text ? tr.cells[i].textContent : parseFloat((tr.cells[i].dataset.v ?? tr.cells[i].textContent).replace(/,/g, "").replace("−", "-")) || 0;
	const order = (a, b) => text ? a[0].localeCompare(b[0]) : a[0] - b[0];
	const body = table.tBodies[0], list = [...body.rows].filter((tr) => !tr.classList.contains("rest"));
	for (const th of table.tHead.rows[0].cells)
		th.removeAttribute("aria-sort");
	head.setAttribute("aria-sort", up ? "ascending" : "descending");
	body.prepend(...list.map((tr) => [value(tr), tr]).sort((a, b) => up ? order(a, b) : order(b, a)).map((pair) => pair[1]));
}

// Of the buttons of a table's rows, Tab stops at one; arrow keys go to the others.
function oneStop(table) {
	const all = () => [...table.querySelectorAll("tbody button")];
	const stop = (b) => { for (const other of all()) other.tabIndex = other === b ? 0 : -1; };
	if (all().length)
		stop(all()[0]);
	table.tBodies[0].addEventListener("focusin", (event) => stop(event.target));
	table.tBodies[0].addEventListener("keydown", (event) => {
		const list = all(), i = list.indexOf(event.target);
		const to = { ArrowUp: i - 1, ArrowDown: i + 1, PageUp: i - 10, PageDown: i + 10, Home: 0, End: list.length - 1 }[event.key];
		if (i < 0 || to === undefined)
			return;
		list[Math.min(Math.max(to, 0), list.length - 1)].focus();
		event.preventDefault();
	});
}

for (const table of tables) {
	for (const th of table.tHead.rows[0].cells)
		button(th).addEventListener("click", () => sortBy(table, th));
	for (const tr of table.tBodies[0].rows)
		if (tr.dataset.o) {
			const b = button(tr.cells[0]);
			b.setAttribute("aria-pressed", false);
			b.tabIndex = -1;
		}
	oneStop(table);
	table.tBodies[0].addEventListener("click", (event) => {
		const tr = event.target.closest("tr[data-o]");
		if (tr)
			toggle(table.dataset.g, found(table.dataset.g, tr.cells[0].textContent));
	});
}

// ---- the bar --------------------------------------------------------------------------------------

async function copy() {
	let done = true;
	try {
		await navigator.clipboard.writeText($("cmd").textContent);
	} catch {			// not permitted: as a user would
		getSelection().selectAllChildren($("cmd"));
		done = document.execCommand("copy");
	}
	$("says").textContent = (done ? "Copied. " : "Selected: copy it with the keyboard. ") + says();
}

for (const [number, parts] of data.pics)
	drawn(number, parts);
$("copy").addEventListener("click", copy);
$("none").addEventListener("click", () => {
	if (rows.delete("comm"))
		flame?.comm(null);
	time = null;
	rows.clear();
	show();
});
$("at").textContent = HINT;
$("bar").hidden = false;
flame?.start({ from, end: (c) => plain(seconds(start[c] + data.width, "")), changed: show, hint: HINT, button, oneStop });
addEventListener("hashchange", read);
read();
})();
