# SPDX-License-Identifier: ISC
# pstat --report: the flame graph of the page and its functions, in headless Chromium if it is installed, beside --folded.
load lib
load pstat
load page
load chains

# recorded: $T/run.data, two programs in C and C++ that call and return, at different times; $T/dir has their names
recorded() {
	need record
	need c++
	cat >"$T/one.c" <<-'END'
		#include <time.h>
		static volatile long sink;
		__attribute__((noinline)) static void leaf(int n) { for (int i = 0; i < n; i++) sink += i * i; }
		__attribute__((noinline)) void middle(int n) { leaf(n); for (int i = 0; i < n; i++) sink ^= i; }
		__attribute__((noinline)) int recursive(int n) { if (n) return recursive(n - 1) + 1; middle(2000); return 0; }
		__attribute__((noinline)) void late(int n) { leaf(n); leaf(n / 2); }
		int main(void) { clock_t end = clock() + CLOCKS_PER_SEC / 10; while (clock() < end) sink += recursive(5);
		for (end = clock() + CLOCKS_PER_SEC / 20; clock() < end;) late(3000); return 0; }
	END
	cat >"$T/two.cc" <<-'END'
		#include <ctime>
		namespace some::long_name_of_a_space::that_is_cut { template <class T> struct Box { T v; __attribute__((noinline)) T spin_round(T n) { volatile T s = 0; for (T i = 0; i < n; i++) s = s + i * v; return s; } }; }
		int main() { some::long_name_of_a_space::that_is_cut::Box<long> b{3}; long n = 0; for (clock_t end = clock() + CLOCKS_PER_SEC / 20; clock() < end;) n += b.spin_round(20000); return n == 1; }
	END
	(cd "$T" && cc -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -Wl,--build-id=sha1 -o one one.c &&
	    c++ -O1 -fno-omit-frame-pointer -Wl,--build-id=sha1 -o two two.cc)
	(cd "$T" && perf record -k mono -q -e cpu-clock -F 4000 -g --no-buildid --no-buildid-cache -o raw -- sh -c './one & ./two; sleep 0.05; ./two; wait') \
	    >/dev/null 2>"$T/err" || skip "perf record -k mono does not work here"
	pinject -q -B --archive=symbols --buildid-dir "$T/dir" -i "$T/raw" -o "$T/run.data" 2>"$T/err" || failed "pinject: $(cat "$T/err")"
}

# What the checks in the page need: its state, keys and the mouse.
PAGE='
globalThis.q = (s) => document.querySelector(s);
globalThis.drawn = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
globalThis.graph = () => q("#chains figure");
globalThis.to = async (hash) => {
	if (location.hash !== hash)
		await new Promise((done) => { addEventListener("hashchange", done, { once: true }); location.hash = hash; });
	await drawn();
};
globalThis.key = (...keys) => keys.forEach((key) => graph().dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true })));
globalThis.here = () => ["x", "y", "width"].map((k) => q(".here").getAttribute(k)).join();
globalThis.at = () => q("#at").textContent;
globalThis.click = (r) => graph().querySelector("svg").dispatchEvent(new PointerEvent("click", { bubbles: true,
    clientX: r.left + r.width / 2, clientY: r.top + r.height / 2 }));
globalThis.rows = () => [...q("#functions").tBodies[0].rows].filter((tr) => tr.className !== "rest").map((tr) => [0, 1, 3].map((i) => tr.cells[i].textContent.replace(/,/g, "")));
0'

# Of random windows: [command, samples, functions].
WINDOWS='(async () => {
	const data = JSON.parse(q("#data").textContent), out = [];
	const starts = data.runs.flatMap(([ms, n]) => Array.from({ length: n }, (_, i) => ms + i * data.width));
	for (let i = 0; i < 20; i++) {
		const [a, b] = [Math.random(), Math.random()].map((r) => Math.floor(r * starts.length)).sort((x, y) => x - y);
		await to(`#select=time:${starts[a] / 1000},${starts[b] / 1000}`);
		out.push([q("#cmd").textContent, q("#chains-head").textContent, rows()]);
	}
	await to("#select=");
	out.push(["cat ./run.data >selected.data", q("#chains-head").textContent, rows()]);
	return out;
})()'

# The mouse shows a box; keys go to the same box by its ancestors, from the outermost, and show the same.
KEYS='(async () => {
	const out = [], boxes = () => [...graph().querySelectorAll("g:not(.above) rect")].filter((r) => r.getAttribute("width") > 1.5);
	graph().focus();
	const n = boxes().length;
	for (let i = 0; i < 16; i++) {
		await to("#select=");
		const k = Math.floor(i / 16 * n), x = +boxes()[k].getAttribute("x"), y = +boxes()[k].getAttribute("y");
		key("Escape");
		for (let tries = 0; tries < 2000; tries++) {
			const [hx, hy, w] = here().split(",").map(Number);
			if (hy === y && Math.abs(hx - x) < .01)
				break;
			const was = here();
			if (hy < y && hx <= x + .02 && x + .02 < hx + w)
				key("ArrowDown");
			else
				key(hx < x ? "ArrowRight" : "ArrowLeft");
			if (here() === was)		// the mark of a narrow box is wider than the box: nothing is below it
				key("ArrowRight");
		}
		const says = at();
		key("Enter");
		const byKey = [location.hash, at(), q("#chains-path").textContent];
		key("0");
		const back = location.hash;
		click(boxes()[k].getBoundingClientRect());
		out.push([JSON.stringify([location.hash, at(), q("#chains-path").textContent]) === JSON.stringify(byKey) && back === "", byKey, says]);
	}
	key("ArrowUp", "Enter");
	return out.filter((o) => !o[0]).concat([[out.length, location.hash === out.at(-1)[1][0]]]);
})()'

# Search, leaves first, a comm, the fragment.
REST='(async () => {
	const out = {}, find = q("#find"), input = (s) => { find.value = s; find.dispatchEvent(new Event("input")); return q("#found").textContent; };
	await to("#select=");
	out.text = input("LEAF");
	out.hits = new Set([...document.querySelectorAll(".hit text")].map((t) => t.textContent)).size;
	out.expression = input("/^(leaf|late)$/");
	out.wrong = input("/(/");
	out.none = input("no such function");
	input("");
	q("#functions tbody button").click();
	out.clicked = [find.value, q("#found").textContent, document.querySelectorAll(".hit").length > 0];
	q("#functions tbody button").click();
	out.unclicked = find.value;
	q("#inverted").click();
	graph().focus();
	key("ArrowDown");
	out.leaf = at();
	key("ArrowDown");
	out.caller = at();
	key("Enter");
	out.inverted = [location.hash, at()];
	const hash = location.hash;
	await to("#select=");
	await to(hash);
	out.again = [location.hash === hash, q("#inverted").getAttribute("aria-pressed"), q("#chains-path").textContent];
	await to("#select=");
	const comm = [...document.querySelectorAll("table[data-g=comm] tbody button")].find((b) => b.textContent === "two");
	comm.click();
	await drawn();
	out.comm = [q("#chains-path").textContent, q("#cmd").textContent, location.hash];
	comm.click();
	await drawn();
	out.uncomm = [q("#chains-path").textContent, location.hash];
	out.labels = [...graph().querySelectorAll("g")].filter((g) => g.children[1] && +g.children[0].getAttribute("width") < 23.5).length;
	out.inner = [...graph().querySelectorAll("text")].some((t) => /^…?spin/.test(t.textContent));
	return out;
})()'

# hostile: $T/hostile.html, of such names
hostile() {
	hostile_names | mkpipe - >"$T/hostile"
	page "$T/hostile" hostile.data
	[ $rc = 0 ] || failed "status $rc: $(cat "$T/err")"
	mv "$T/page.html" "$T/hostile.html"
	[ "$(stat -c %s "$T/hostile.html")" -lt 300000 ] || failed "$(stat -c %s "$T/hostile.html") bytes"
	! LC_ALL=C.UTF-8 grep -qavx '.*' "$T/hostile.html" || failed "not UTF-8"
	! grep -q $'\xe2\x80\xae\|\x1b' "$T/hostile.html" || failed "a name acts"
}

# What is in the hostile page: elements that names have made, scripts, names; and after keys and a search.
HOSTILE='(async () => {
	const made = () => [...document.querySelectorAll("*")].filter((e) => /^(img|b|i|a b|object|iframe)$/.test(e.localName) ||
	    [...e.attributes].some((a) => /^on|^src$/.test(a.name))).length + document.scripts.length;
	await drawn();
	const before = made();
	graph().focus();
	for (let i = 0; i < 12; i++)
		key("ArrowDown", "Enter", "Escape", "ArrowDown", "ArrowRight");
	q("#find").value = "</script>";
	q("#find").dispatchEvent(new Event("input"));
	return [before, made(), JSON.parse(q("#chains-data").textContent).names.length, q("#found").textContent, rows().length];
})()'

@test "page: the flame graph of a window has what pfilter cuts; keys do what the mouse does; hostile names do nothing" {
	need jq
	recorded
	hostile
	page "$T/run.data" run.data --symbols dir
	[ $rc = 0 ] || failed "status $rc: $(cat "$T/err")"
	in_browser size 1280 900 open page.html js "$PAGE" js "$WINDOWS" js "$KEYS" js "$REST" \
	    size 390 800 js '(async () => { const wide = () => Math.max(document.documentElement.scrollWidth, graph().querySelector("svg").getBoundingClientRect().right);
		for (let i = 0; i < 100 && wide() > 390; i++) await drawn(); return wide() <= 390; })()' \
	    open 'page.html#select=find:%2Fleaf%2F;zoom:3' js "$PAGE" js '(async () => { await drawn(); return [location.hash, q("#find").value, q("#chains-path").textContent]; })()' print \
	    open hostile.html js "$PAGE" js "$HOSTILE"
	sed -n 2p "$T/browser" >"$T/windows"
	(cd "$T" && $PYTHON "$OLDPWD/flame.py" windows windows dir) >"$T/out" 2>&1 || failed "$(head -c 2000 "$T/out")"
	[ "$(sed -n 3p "$T/browser")" = '[[16, false]]' ] || failed "keys: $(sed -n 3p "$T/browser" | head -c 2000)"
	sed -n 4p "$T/browser" >"$T/rest"
	command pstat -q --symbols "$T/dir" --folded "$T/run.data" >"$T/folded"
	$PYTHON flame.py rest "$T/rest" "$T/folded" >"$T/out" 2>&1 || failed "$(head -c 2000 "$T/out"): $(cat "$T/rest")"
	[ "$(sed -n 5p "$T/browser")" = true ] || failed "390: $(sed -n 5p "$T/browser")"
	sed -n 7p "$T/browser" | grep -q '^\["#select=zoom:3;find:%2Fleaf%2F", "/leaf/", "all › .*"\]$' || failed "fragment: $(sed -n 7p "$T/browser")"
	[ "$(sed -n 8p "$T/browser")" -gt 10000 ] || failed "no PDF"
	[ "$(sed -n 10p "$T/browser")" = '[5, 5, 23, "in 1 sample, 9.1%", 11]' ] || failed "hostile: $(sed -n 10p "$T/browser")"
	done_all
}

# samples N [SECONDS]: a recipe: so many samples of different stacks, of 64 files, over so long a time
samples() {
	echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CPU|CALLCHAIN flags=sample_id_all|comm|mmap2 ids=1"
	awk -v n="$1" -v seconds="${2-1}" 'BEGIN {
		print "COMM pid=100 tid=100 comm=many"
		for (i = 0; i < 64; i++)
			printf "MMAP2 misc=2 pid=100 tid=100 start=%d len=0x1000 prot=5 flags=2 filename=/file-%d\n", 268435456 + i * 4096, i
		for (i = 0; i < n; i++) {
			printf "SAMPLE misc=2 ip=%d pid=100 tid=100 cpu=0 time=%.0f chain=0xfffffffffffffe00,%d", 268435456 + i % 64 * 4096, 1000000000 + i * seconds / n * 1e9, 268435456 + i % 64 * 4096
			for (k = 1; k < 5; k++)
				printf ",%d", 268435456 + int(i / 64 ^ k) % 64 * 4096 + 1
			print ""
		}
	}'
}

@test "page: call chains without a browser: what is in it, when, and how much" {
	need jq
	local f=$T/page.html
	page data/g_fp.pipe.data g.data
	[ $rc = 0 ] || failed "status $rc: $(cat "$T/err")"
	# boxes and functions are there without the script, outermost at the top, and how to have more
	grep -q '<title>all · [0-9,]* samples · 100.0% · self 0</title>' "$f" && grep -q '<th scope="row" class="t">\[[a-z.0-9]*\]</th><td>[0-9,]*</td><td>[0-9.]*%</td><td>' "$f" || failed "boxes, functions"
	grep -q '<code>pinject -B --archive=symbols --buildid-dir DIR</code> makes it' "$f" || failed "what mends it"
	[ "$(grep -c '<script' "$f")" = 5 ] || failed "scripts: $(grep -c '<script' "$f")"
	$PYTHON flame.py data "$f" >"$T/data" || failed "data"
	[ "$(awk '{ n += $3 } END { print n }' "$T/data")" = "$(command pstat -q --json --picture flame data/g_fp.pipe.data | jq '[.flame[].self] | add')" ] || failed "sum"
	# no call chains, no graph; but with names of functions
	page data/basic.pipe.data b.data
	! grep -q 'chains-data\|\.pic \.f00' "$f" && [ "$(grep -c '<script' "$f")" = 2 ] || failed "without call chains"
	mkdir "$T/dir"
	page data/basic.pipe.data b.data --symbols dir
	grep -q 'chains-data' "$f" && grep -q '<code>perf record -g</code> records them' "$f" || failed "with --symbols"
	# an event with call chains that comes too late is told of
	{ cat data/base.txt; echo 'attr type=1 config=1 period=1 sample_type=IP|TID|TIME|CPU|CALLCHAIN flags=sample_id_all ids=77'; } | mkpipe - >"$T/late"
	page "$T/late" late.data
	[ $rc = 0 ] && ! grep -q chains-data "$f" && grep -q 'no flame graph: the attr of an event with call chains follows other records' "$T/err" || failed "late: $rc $(cat "$T/err")"
	# a bin is a column; and samples without a time are in none
	{ samples 300; echo "SAMPLE misc=2 ip=0 pid=100 tid=100 cpu=0 time=0 chain=0xfffffffffffffe00,0"; } | mkpipe - >"$T/few"
	page "$T/few" few.data
	$PYTHON flame.py data "$f" >"$T/data" || failed "few: data"
	[ "$(awk '$2 == 0 { print $3 }' "$T/data")" = 1 ] && [ "$(awk '$2 > 1' "$T/data")" = "" ] && [ "$(wc -l <"$T/data")" -gt 40 ] || failed "few: $(head "$T/data")"
	done_all
}

@test "page: more call chains than there may be: the sum stays, and the page is small" {
	only_all
	local f=$T/page.html
	samples 600000 300 | mkpipe - >"$T/many"
	page "$T/many" many.data --time-quantum 100ms
	[ $rc = 0 ] && [ "$(stat -c %s "$f")" -lt $((2 << 20)) ] || failed "many: $rc, $(stat -c %s "$f") bytes"
	$PYTHON flame.py data "$f" >"$T/data" || failed "many: data"
	[ "$(awk '{ n += $3 } END { print n }' "$T/data")" = 600000 ] || failed "many: sum"
	grep -q 'too many different call chains' "$f" || failed "many: boxes"
	done_all
}
