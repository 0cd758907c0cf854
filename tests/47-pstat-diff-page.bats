# SPDX-License-Identifier: ISC
# pstat --diff --report: the page of two recordings, in headless Chromium if it is installed; calculated anew from two --folded.
load lib
load pstat
load page
load chains

# page_of A B [OPTION...]: their page, $T/page.html
page_of() {
	try command pstat -f --diff --report "$T/page.html" "${@:3}" "$1" "$2"
}

# Of each box that is drawn "LEVEL CLASS" and what the line below says of it; of each function its name, "only in", counts and points.
PAGE='
globalThis.q = (s) => document.querySelector(s);
globalThis.drawn = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
globalThis.graph = () => q("#chains figure");
globalThis.boxes = () => [...graph().querySelectorAll("g > rect")].map((r) => {
	const at = r.getBoundingClientRect();
	graph().querySelector("svg").dispatchEvent(new PointerEvent("pointermove", { bubbles: true, clientX: at.left + at.width / 2, clientY: at.top + at.height / 2 }));
	return [r.getAttribute("y") / 17, r.getAttribute("class"), q("#at").textContent];
});
globalThis.rows = () => [...q("#functions").tBodies[0].rows].map((tr) => [tr.querySelector("button").textContent, tr.querySelector(".only")?.textContent ?? "",
    ...[1, 2, 4, 5].map((i) => parseInt(tr.cells[i].title.replace(/,/g, ""))), tr.cells[3].textContent, tr.cells[6].textContent]);
0'
REST='(async () => {
	const out = { boxes: boxes(), rows: rows(), head: q("#chains-head").textContent, keys: document.querySelectorAll("#chains-kinds rect").length };
	const find = (s) => { q("#find").value = s; q("#find").dispatchEvent(new Event("input")); return [q("#found").textContent, document.querySelectorAll(".hit").length]; };
	out.find = [find("old_check"), find("/hash|render/"), find("")];
	q("#inverted").click();
	out.inverted = boxes();
	q("#inverted").click();
	graph().focus();
	for (const key of ["ArrowDown", "ArrowDown", "ArrowDown", "Enter"])
		graph().dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
	out.zoomed = [q("#at").textContent, location.hash, q("#chains-path").textContent];
	graph().dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true, cancelable: true }));
	const heads = [...q("#functions").tHead.rows[0].cells];
	out.sorted = heads.map((th) => { th.querySelector("button").click(); return rows().map((r) => r[0]); });
	const of = q("table[data-g=diff]");
	out.diff = [...of.tBodies[0].rows].map((tr) => tr.cells[0].textContent);
	of.tHead.rows[0].cells[5].querySelector("button").click();
	out.up = [...of.tBodies[0].rows].map((tr) => parseFloat(tr.cells[5].textContent.replace("−", "-")));
	out.bar = [q("#bar").hidden, q("#cut").hidden];
	return out;
})()'

# examine RESULT A B STILL: is that what the folded stacks in the files A and B say, and what is there without the script?
examine() {
	$PYTHON - "$@" <<-'PY'
		import json, math, re, sys
		from collections import Counter
		page = json.load(open(sys.argv[1]))
		stacks = []
		for path in sys.argv[2:4]:
		    stacks.append(Counter())
		    for line in open(path):
		        stack, n = line.rstrip('\n').rsplit(' ', 1)
		        stacks[-1][tuple(stack.split(';'))] += int(n)
		all_ = [sum(s.values()) for s in stacks]
		comma = lambda n: f'{n:,}'
		def variance(n, m):
		    p = (n + 1) / (m + 2)
		    return p * (1 - p) / (m + 2)
		def differs(a, b):
		    by = b / all_[1] - a / all_[0]
		    return by, not by or abs(by) < 2 * math.sqrt(variance(a, all_[0]) + variance(b, all_[1]))
		def points(a, b):
		    by, noise = differs(a, b)
		    return f"{'−' if by < 0 else '+'}{abs(by) * 100:.2f}{' ~' if noise else ''}"
		def colour(a, b):
		    by, noise = differs(a, b)
		    step = 0 if noise else 1 + (abs(by) >= .01) + (abs(by) >= .03) + (abs(by) >= .1)
		    return f'd{4 - step if by < 0 else 4 + step}'
		def graph(paths):
		    """Of each box of B: level, class, name, samples, those that end there, samples of A."""
		    total, own = [Counter(), Counter()], [Counter(), Counter()]
		    for side in 0, 1:
		        for path, n in paths[side].items():
		            own[side][path] += n
		            for i in range(len(path) + 1):
		                total[side][path[:i]] += n
		    return sorted((len(p), colour(total[0][p], n), p[-1] if p else 'all', n, own[1][p], total[0][p]) for p, n in total[1].items())
		def said(boxes):
		    out = []
		    for level, kind, text in boxes:
		        m = re.fullmatch(r'(.*?) · ([0-9,]+) samples? · [<0-9.%]+(?: · Enter shows what calls it)? · (?:self|chains that begin here) ([0-9,]+) · A: ([0-9,]+), [<0-9.%]+ · (.*) points', text)
		        assert m, text
		        n, own, a = (int(m[i].replace(',', '')) for i in (2, 3, 4))
		        assert m[5] == points(a, n), (text, points(a, n))
		        out.append((level, kind, m[1], n, own, a))
		    return sorted(out)
		want = graph(stacks)
		assert said(page['boxes']) == want, (said(page['boxes']), want)
		assert page['head'] == f'{comma(all_[1])} samples of B; {len(want)} boxes.' and page['keys'] == 9, page['head']
		back = [Counter({p[::-1]: n for p, n in s.items()}) for s in stacks]
		want_back = graph(back)
		assert said(page['inverted']) == want_back, (said(page['inverted']), want_back)
		# functions, that of a comm's name is another
		own, total = [Counter(), Counter()], [Counter(), Counter()]
		for side in 0, 1:
		    for path, n in stacks[side].items():
		        own[side][path[-1]] += n
		        for name in set(path[1:]):
		            total[side][name] += n
		names = set(total[0]) | set(total[1])
		rows = {name: ('only in A' if not total[1][name] else 'only in B' if not total[0][name] else '', own[0][name], own[1][name], total[0][name],
		    total[1][name], points(own[0][name], own[1][name]), points(total[0][name], total[1][name])) for name in names}
		assert len(page['rows']) == len(rows) and {r[0]: tuple(r[1:]) for r in page['rows']} == rows, (page['rows'], rows)
		by = lambda count: lambda name: -round(abs(differs(count[0][name], count[1][name])[0]), 9)
		keys = [str.lower, lambda n: -own[0][n], lambda n: -own[1][n], by(own), lambda n: -total[0][n], lambda n: -total[1][n], by(total)]
		for i, key in enumerate(keys):
		    got = [key(n) for n in page['sorted'][i]]
		    assert len(got) == len(names) and got == sorted(got), (i, page['sorted'][i])
		def found(test):
		    n = [sum(c for p, c in stacks[s].items() if any(test(x) for x in p)) for s in (0, 1)]
		    return f'in {comma(n[1])} samples, {n[1] / all_[1] * 100:.1f}%; A: {comma(n[0])}, {n[0] / all_[0] * 100:.1f}%; {points(*n)} points'
		assert page['find'] == [[found(lambda x: 'old_check' in x), 0], [found(lambda x: 'hash' in x or 'render' in x), 3], ['', 0]], page['find']
		assert re.search(r' · A: \d+, .* points$', page['zoomed'][0]) and page['zoomed'][1] == '#select=zoom:3' and page['zoomed'][2].startswith('all › '), page['zoomed']
		comms = set(p[0] for s in stacks for p in s)
		assert set(page['diff']) == comms and len(page['diff']) == len(comms), page['diff']
		assert page['up'] == sorted(page['up'], reverse=True) and min(page['up']) < 0 < max(page['up']), page['up']
		assert page['bar'] == [False, True]
		# without the script; rows of --diff may differ by their rates, too
		still = [len(want), sum(b[1] != 'd4' for b in want), len(rows), sum('~' not in r[5] or '~' not in r[6] for r in rows.values()), len(comms)]
		assert 2 < still[1] < still[0] - 2 and 2 < still[3] < still[2], still
		assert open(sys.argv[4]).read().split()[:5] == [str(n) for n in still], (open(sys.argv[4]).read(), still)
	PY
}

# still PAGE: without its scripts, how many boxes, functions and rows of --diff it has, and how many of them are not noise; is it sound?
still() {
	$PYTHON - "$1" <<-'PY'
		import re, sys
		text = open(sys.argv[1]).read()
		assert len(re.findall('<script', text)) == 5 and text.count("'sha256-") == 4, 'scripts, the policy'
		page = re.sub(r'<script.*?</script>', '', text, flags=re.S)
		boxes = re.findall(r'<rect [^>]*class="(d[0-8])"><title>[^<]* · A: ([0-9,]+), [^<]* points(, noise)?</title>', page)
		assert all((c == 'd4') == bool(noise) for c, _, noise in boxes)
		tables = re.findall(r'<tbody>(.*?)</tbody>', page, re.S)
		diff, functions = (re.findall('<tr.*?</tr>', t, re.S) for t in tables)
		print(len(boxes), sum(c != 'd4' for c, _, _ in boxes), len(functions), sum(r.count(' ~<') < 2 for r in functions), len(diff),
		    sum('>noise<' not in r for r in diff))
	PY
}

@test "diff page: boxes, functions and rows are what two folded stacks say, with the script and without; a recording and itself is grey; hostile names" {
	need jq
	mkdir "$T/empty"
	# a comm that is called as a function; a function that is twice in a chain; another comm
	both() { COMM='[main]' chains "${@:2}"; COMM=second chains "worker=$1" | sed '/^attr/d; s/id=100/id=200/g'; }
	both 120 main/load/parse=200 main/load/hash=100 main/show/render=250 main/show/old_check/lib=60 main/show/old_check/lib/old_check=9 main/flush=1 main=30 | mkpipe - >"$T/a"
	both 144 main/load/parse=190 main/load/hash=420 main/show/render=240 main/show/new_check=70 main=33 main/load/hash/lib=20 main/show/lib/hash=14 | mkpipe - >"$T/b"
	for s in a b; do command pstat -q --symbols "$T/empty" --folded "$T/$s" >"$T/$s.folded"; done
	page_of "$T/a" "$T/a" && [ $rc = 0 ] && ! [ -s "$T/err" ] || failed "a a: $rc $(cat "$T/err")"
	[ "$(still "$T/page.html")" = "14 0 10 0 2 0" ] || failed "a a: $(still "$T/page.html")"
	mv "$T/page.html" "$T/same.html"
	hostile_names | mkpipe - >"$T/hostile"
	page_of "$T/hostile" "$T/b" && [ $rc = 0 ] || failed "hostile: $rc"
	! LC_ALL=C.UTF-8 grep -qavx '.*' "$T/page.html" && ! grep -q $'\xe2\x80\xae\|\x1b' "$T/page.html" || failed "hostile bytes"
	mv "$T/page.html" "$T/hostile.html"
	page_of "$T/a" "$T/b"
	[ $rc = 0 ] && ! [ -s "$T/err" ] || failed "$rc $(cat "$T/err")"
	still "$T/page.html" >"$T/still"
	in_browser size 1280 900 open page.html js "$PAGE" js "$REST" \
	    size 390 800 js '(async () => { const wide = () => Math.max(document.documentElement.scrollWidth, graph().querySelector("svg").getBoundingClientRect().right);
		for (let i = 0; i < 100 && wide() > 390; i++) await drawn(); return wide() <= 390; })()' \
	    open same.html js "$PAGE" js '(async () => { await drawn(); return [[...new Set(boxes().map((b) => b[1]))], [...new Set(rows().flatMap((r) => r.slice(6)))]]; })()' \
	    open hostile.html js "$PAGE" js '(() => { q("#find").value = "script"; q("#find").dispatchEvent(new Event("input")); q("#inverted").click();
		return [document.scripts.length, document.querySelectorAll("img,iframe,object,[src],[onerror]").length, q("#found").textContent.replace(/;.*/, ""),
		rows().filter((r) => r[1] === "only in A").length]; })()'
	sed -n 2p "$T/browser" >"$T/result"
	examine "$T/result" "$T/a.folded" "$T/b.folded" "$T/still" >"$T/out" 2>&1 || failed "$(tail -c 3000 "$T/out")"
	[ "$(sed -n 3p "$T/browser")" = true ] || failed 390
	[ "$(sed -n 5p "$T/browser")" = '[["d4"], ["+0.00 ~"]]' ] || failed "same: $(sed -n 5p "$T/browser")"
	[ "$(sed -n 7p "$T/browser")" = '[5, 0, "in 0 samples, 0.0%", 11]' ] || failed "hostile: $(sed -n 7p "$T/browser")"
	done_all
}

@test "diff page: reports, a side without samples or with damage, options, and wrong usage" {
	need jq
	chains main/one=50 main/two/three=30 | mkpipe - >"$T/a"
	chains main/one=20 main/two/four=30 main/two=4 | mkpipe - >"$T/b"
	for s in a b; do command pstat --json --picture flame "$T/$s" >"$T/$s.json"; done
	# standard output; of reports the same page
	command pstat --diff --report - "$T/a" "$T/b" >"$T/want"
	[ "$(still "$T/want")" = "6 3 5 4 1 1" ] || failed "want: $(still "$T/want")"
	page_of "$T/a.json" "$T/b.json" && [ $rc = 0 ] && cmp "$T/want" "$T/page.html" || failed reports
	page_of "$T/a" "$T/b" --theme dark && [ "$(still "$T/page.html")" = "$(still "$T/want")" ] && grep -q '"color-scheme" content="dark"' "$T/page.html" || failed dark
	command pstat --json "$T/a" >"$T/plain.json"
	rm "$T/page.html"
	page_of "$T/plain.json" "$T/b"
	[ $rc = 1 ] && one_line "pstat: $T/plain.json: the report has no table flame; pstat --json --picture flame writes it" && ! [ -e "$T/page.html" ] || failed plain
	# a name of a file is not trusted, either
	cp "$T/a" "$T/<img src=x>"
	page_of "$T/<img src=x>" "$T/b" && [ $rc = 0 ] && ! grep -q '<img' "$T/page.html" && grep -q '&lt;img src=x&gt; and ' "$T/page.html" || failed "name of a file"
	# what has no samples, or not all
	echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CPU|CALLCHAIN flags=sample_id_all ids=1" | mkpipe - >"$T/none"
	for x in "none b" "a none" "none none"; do
		set -- $x
		page_of "$T/$1" "$T/$2" && [ $rc = 0 ] && grep -q 'has no samples, so nothing is compared' "$T/page.html" || failed "$x"
		[ "$(still "$T/page.html" | cut -d ' ' -f 2,4)" = "0 0" ] || failed "$x: $(still "$T/page.html")"
	done
	head -c $(($(stat -c %s "$T/b") - 30)) "$T/b" >"$T/cut"
	page_of "$T/a" "$T/cut"
	[ $rc = 1 ] && [ "$(grep -c 'role="alert"><strong>B</strong>.*was not read to its end' "$T/page.html")" = 1 ] && [ "$(still "$T/page.html" | cut -d ' ' -f 3)" = 5 ] || failed "cut: $rc"
	: >"$T/empty"
	for x in "empty b" "a empty" "empty empty"; do
		set -- $x
		page_of "$T/$1" "$T/$2"
		[ $rc = 1 ] && grep -q 'was not read to its end' "$T/page.html" || failed "$x: $rc"
	done
	! grep -q chains-data "$T/page.html" || failed "empty empty: call chains"
	# what is counted can be chosen, which the page says
	mkpipe data/two-events.txt >"$T/two"
	page_of "$T/two" "$T/two" -s event,comm && [ $rc = 0 ] && ! grep -q 'They are only' "$T/page.html" || failed "two: $rc"
	[ "$(still "$T/page.html" | cut -d ' ' -f 5)" = "$(command pstat --diff --json -s event,comm "$T/two" "$T/two" | jq '.diff | length')" ] || failed "two: rows"
	event=$(command pstat --json "$T/two" | jq -r '.events[0].name')
	page_of "$T/two" "$T/two" --event "$event" --cpumode user && [ $rc = 0 ] && grep -q ">They are only those of samples of $event, user; the rows" "$T/page.html" || failed "event: $rc"
	[ "$(still "$T/page.html" | cut -d ' ' -f 1)" = "$(command pstat --json --picture flame --event "$event" --cpumode user "$T/two" | jq '.flame | length')" ] || failed "event: boxes"
	for o in "-s comm" "--event cycles" "--cpumode user"; do
		try command pstat --report "$T/none.html" $o "$T/a"
		[ $rc = 2 ] && one_line "pstat: --" && ! [ -e "$T/none.html" ] || failed "without --diff: $o: $rc"
	done
	for o in "--picture flame" "--top 3" "--json" "--max-nodes 16" "--time-quantum 1s" "--scale log" "--merge" "--check" "-o $T/x"; do
		try command pstat -f --diff --report "$T/none.html" $o "$T/a" "$T/b"
		[ $rc = 2 ] && one_line "pstat: " && ! [ -e "$T/none.html" ] || failed "$o: $rc"
	done
	done_all
}
