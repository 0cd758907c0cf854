# SPDX-License-Identifier: ISC
# pstat --report: the page, in headless Chromium if it is installed.
load lib
load pstat
load page

# Selections of a page, and what it says of each: [fragment, command, count] as lines of JSON.
SELECT='(async () => {
	const data = JSON.parse(document.querySelector("#data").textContent), out = [], some = (list) => [...list].slice(0, 6);
	const starts = data.runs.flatMap(([ms, n]) => Array.from({ length: n }, (_, i) => ms + i * data.width));
	const at = (part) => (starts[Math.floor((starts.length - 1) * part)] / 1000).toFixed(3), keys = [], words = [];
	for (const t of document.querySelectorAll("table[data-g]"))
		for (const tr of some(t.querySelectorAll("tr[data-o]")))
			words.push(t.dataset.g + ":" + encodeURIComponent(tr.cells[0].textContent));
	for (const [option] of some(data.rows.filter((r) => /cpu|tid/.test(r[0]))))
		words.push("picture:" + encodeURIComponent(option));
	const times = starts.length ? [`time:${at(0)},${at(1)}`, `time:${at(.3)},${at(.3)}`, `time:${at(.2)},${at(.7)}`] : [];
	for (const pick of [...words, ...times, ...times.slice(2).flatMap((t) => words.map((w) => t + ";" + w))]) {
		await new Promise((done) => { addEventListener("hashchange", done, { once: true }); location.hash = "#select=" + pick; });
		out.push([pick, document.querySelector("#cmd").textContent, document.querySelector("#says").textContent]);
	}
	return out;
})()'

# exact FILE: run the commands of the selections in $T/browser of which the page says a number; adds to n.
exact() {
	local line cmd says have want
	jq -j '.[] | .[] + "\u0000"' "$T/browser" >"$T/selections"
	while IFS= read -r -d '' line && IFS= read -r -d '' cmd && IFS= read -r -d '' says; do
		[ -n "$cmd" ] || failed "$1: nothing is selected: $line"
		[[ $says =~ ^([0-9,]+)' sample's?'.'$ ]] || continue
		want=${BASH_REMATCH[1]//,/}
		(cd "$T" && rm -f selected.data && bash -c "$cmd") </dev/null 2>"$T/err" || [ $? = "${2-0}" ] || failed "$1: $cmd: $(cat "$T/err")"
		have=$(command pstat -q --json "$T/selected.data" 2>/dev/null | jq .samples)
		[ "$have" = "$want" ] || failed "$1: $line gives $have"
		n=$((n + 1))
	done <"$T/selections"
}

@test "pstat --report: its commands give exactly the samples that it counted" {
	need jq
	local n=0 i=0 steps=()
	for f in data/{demo,multi.pipe,pid2_a.file,escape,event-name.pipe,per_thread.pipe}.data; do
		page "$f" "a'b \$x.$((i += 1)).data"
		[ $rc = 0 ] && [ ! -s "$T/out" ] && [ ! -s "$T/err" ] || failed "$f: status $rc: $(cat "$T/out" "$T/err")"
		mv "$T/page.html" "$T/$i.html"
		steps+=(open $i.html js "${SELECT/slice(0, 6)/slice(0, 4)}")
	done
	in_browser "${steps[@]}"
	mv "$T/browser" "$T/all"
	while read -r line; do
		echo "$line" >"$T/browser"
		exact "$line"
	done <"$T/all"
	[ $n -gt 60 ] || failed "only $n selections are exact"
	done_all
}

@test "pstat --report: a page of a damaged recording says so, and has what was good" {
	need jq
	local n=0
	head -c 60000 data/demo.data >"$T/cut"
	page "$T/cut" cut.data
	[ $rc = 1 ] && [ -s "$T/page.html" ] && grep -q 'cut.data: byte [0-9]*: ' "$T/err" || failed "status $rc: $(cat "$T/err")"
	in_browser open page.html js 'document.querySelector("[role=alert]").textContent' js "$SELECT"
	head -n 1 "$T/browser" | grep -q '^"The recording is damaged at byte [0-9]*: .*in front of that place' || failed "$(head -n 1 "$T/browser")"
	sed -i 1d "$T/browser"
	exact cut 1
	[ $n -gt 8 ] || failed "only $n selections are exact"
	# behind a record that cannot be read the reading goes on, as with --check
	mkpipe data/bad-sample-short.txt >"$T/short" 2>/dev/null || true
	page "$T/short" short.data
	[ $rc = 1 ] && grep -q 'All that could be read is in this page' "$T/page.html" || failed "status $rc: $(cat "$T/err")"
	[ "$(wc -l <"$T/err")" = 1 ] || failed "$(cat "$T/err")"
	# also behind one that has more bytes than its fields need
	for x in "SAMPLE ip=2 pid=10 tid=10 time=2 zeros=8" "COMM pid=10 tid=10 comm=go zeros=16"; do
		mkpipe >"$T/long" <<-END
			attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME flags=sample_id_all|comm ids=11
			SAMPLE ip=1 pid=10 tid=10 time=1
			$x
			SAMPLE ip=3 pid=10 tid=10 time=3
		END
		page "$T/long" long.data
		[ $rc = 1 ] && grep -q "^pstat: ./long.data: byte [0-9]*: ${x%% *}: its fields need [0-9]* of [0-9]* bytes$" "$T/err" &&
		    grep -q "The recording is damaged at byte [0-9]*</strong>: ${x%% *}: its fields need" "$T/page.html" || failed "$x: status $rc: $(cat "$T/err")"
	done
	# of a payload of 2^63 bytes, which is not there
	mkpipe data/bad-payload-huge.txt >"$T/huge"
	rc=0
	timeout -s KILL 60 pstat -q -f --report "$T/huge.html" "$T/huge" </dev/null >"$T/out" 2>"$T/err" || rc=$?
	[ $rc = 1 ] && grep -q 'The recording is damaged' "$T/huge.html" || failed "status $rc"
	# and without an input there is none
	page data/base.txt no.data
	[ $rc = 1 ] && [ "$(wc -l <"$T/err")" = 1 ] || failed "status $rc: $(cat "$T/err")"
	done_all
}

@test "pstat --report: names of a recording do nothing" {
	need jq
	local n=0 i=100 long
	long=$(printf 'L%.0s' {1..4000})
	cat data/base.txt >"$T/recipe.txt"
	for name in '<script>alert(1)</script>' '\x22><img\x20src=x\x20onerror=alert(1)>' '</style><!--' ']]>--></title>' '\xe2\x80\xae\xd7\x90abc' \
	    '\xff\xfe\xc3' "\$(touch\x20pwned)" "';touch\x20pwned;'" '\x60touch\x20pwned\x60' 'a\x5c' 'a\x0ab' '&amp;&#60;' "$long"; do
		i=$((i + 1))
		cat <<-EOF
		COMM pid=$i tid=$i comm=$name
		MMAP2 misc=2 pid=$i tid=$i start=0x400000 len=0x10000 prot=5 filename=/$name
		SAMPLE misc=2 ip=0x401000 pid=$i tid=$i time=$((i * 1000000)) period=1
		EOF
	done >>"$T/recipe.txt"
	mkpipe "$T/recipe.txt" >"$T/hostile"
	page "$T/hostile" '<b onclick=alert(1)>$(touch pwned)&amp;.data'
	[ $rc = 0 ] || failed "status $rc: $(cat "$T/err")"
	in_browser open page.html \
	    js '[...new Set([...document.querySelectorAll("*")].map((e) => e.localName))].sort().join(" ")' \
	    js '[...document.querySelectorAll("*")].flatMap((e) => [...e.attributes]).filter((a) => /^on|^style$|^src$/.test(a.name) || (a.name === "href" && a.value !== "#privacy")).length' \
	    js 'document.scripts.length' js "${SELECT/slice(0, 6)/slice(0, 14)}"
	[ "$(sed -n 2p "$T/browser")" = 0 ] && [ "$(sed -n 3p "$T/browser")" = 2 ] || failed "$(sed 4d "$T/browser")"
	! sed -n 1p "$T/browser" | grep -qw 'b\|img\|a b\|object' || failed "$(sed -n 1p "$T/browser")"
	sed -i 1,3d "$T/browser"
	exact hostile
	[ $n -gt 30 ] || failed "only $n selections are exact"
	[ -z "$(find "$T" -name 'pwned*')" ] || failed "a name was executed"
	! grep -q $'\xe2\x80\xae\|\xff' "$T/page.html" || failed "a name was not escaped"
	! LC_ALL=C.UTF-8 grep -qavx '.*' "$T/page.html" || failed "not UTF-8"
	[ "$(stat -c %s "$T/page.html")" -lt 300000 ] || failed "$(stat -c %s "$T/page.html") bytes"
	done_all
}

@test "pstat --report: mouse, keyboard and fragment select; nothing is asked for, nothing is wider than the page" {
	need jq
	page data/demo.data demo.data
	local n=0 at='[location.hash, document.querySelector("#cmd").textContent, document.querySelector("#says").textContent]'
	local top='scrollTo(0, document.querySelector("#pic1").getBoundingClientRect().top + scrollY); 0'
	in_browser size 1280 900 open page.html js "$at" js "$top" drag 400 150 600 200 js "$at" key Escape \
	    js 'document.querySelector("#pic1").focus()' key Escape js "$at" key ArrowRight key ArrowRight key Shift+ArrowRight js "$at" \
	    js 'document.querySelector("table[data-g=comm] tbody button").focus()' key Escape key Enter js "$at" \
	    js 'document.querySelector("#none").click()' js "$at" \
	    open 'page.html#select=time:2864.9,2865.1;comm:gzip;cpu:1;pid:nobody;dso:%E0;bad' js "$at" \
	    js 'document.querySelector("table[data-g=comm] thead button").click(); document.querySelector("table[data-g=comm]").tBodies[0].rows[0].cells[0].textContent' \
	    size 390 800 js 'document.documentElement.scrollWidth <= 390' print
	grep -vx 'null\|0' "$T/browser" >"$T/got"
	sed -n 2p "$T/got" | grep -q '#select=time:2865\.1[0-9]*,2865\.39*' && sed -n 4p "$T/got" | grep -q '#select=time:2864\.88,2864\.919999999' ||
	    failed "mouse or keyboard: $(sed -n '2p; 4p' "$T/got")"
	[ "$(sed -n '1p; 3p' "$T/got" | sort -u)" = '["", "", ""]' ] || failed "$(sed -n '1p; 3p' "$T/got")"
	sed -n '2p; 4p' "$T/got" | jq -s . >"$T/browser"
	exact keys
	[ $n = 2 ] || failed "$n are exact"
	sed -n 5p "$T/got" | grep -q ';comm:bash", *"pfilter .* --comms bash ./demo.data >selected.data", *"At most ' || failed "$(sed -n 5p "$T/got")"
	[ "$(sed -n 6p "$T/got")" = '["", "", ""]' ] || failed "$(sed -n 6p "$T/got")"
	sed -n 7p "$T/got" | grep -q '"#select=time:2864.9,2865.119999999;comm:gzip;cpu:1", "pfilter --time 2864.9,2865.119999999 --comms gzip --cpu 1 ' || failed "$(sed -n 7p "$T/got")"
	[ "$(sed -n 8,9p "$T/got" | tr '\n' ' ')" = '"true" true ' ] || failed "$(sed -n 8,9p "$T/got")"
	[ "$(sed -n 10p "$T/got")" -gt 10000 ] || failed "no PDF"
	done_all
}

@test "pstat --report: rows of pictures and tables by keyboard, few stops of Tab, no wide margin on a phone" {
	need jq
	page data/demo.data demo.data
	local cmd='document.querySelector("#cmd").textContent'
	in_browser size 1280 900 open page.html js '[...document.querySelectorAll("*")].filter((e) => e.tabIndex >= 0).length' \
	    js 'document.querySelector("#pic2").focus()' key ArrowDown key ArrowDown js 'document.querySelector("#at").textContent' key Enter js "$cmd" \
	    key Enter js "$cmd" js 'document.querySelector("table[data-g=pid] tbody button").focus()' key ArrowDown key ArrowDown key ArrowUp \
	    js 'document.activeElement === document.querySelectorAll("table[data-g=pid] tbody button")[1]' key Enter \
	    js "$cmd.endsWith(' --pid ' + document.activeElement.textContent + ' ./demo.data >selected.data')" \
	    js 'document.querySelectorAll("table[data-g=pid] tbody button[tabindex=\"0\"]").length' \
	    size 390 800 open page.html js 'const left = (e) => e.getBoundingClientRect().left, svg = document.querySelector("#pic2 svg");
		Math.min(...[...svg.querySelectorAll("rect[data-o]")].map(left)) - left(svg)' \
	    js '(scrollTo(0, document.querySelector("#pic2").getBoundingClientRect().top + scrollY), 0)' drag 100 70 200 70 \
	    js 'location.hash.match(/time:2864[.][89]/) !== null'
	grep -v '^null$' "$T/browser" >"$T/got"
	[ "$(sed -n 1p "$T/got")" -lt 80 ] || failed "$(sed -n 1p "$T/got") stops"
	sed -n 2p "$T/got" | grep -q '^"--cpu 1 .* 139 samples' || failed "row: $(sed -n 2p "$T/got")"
	[ "$(sed -n 3p "$T/got")" = '"pfilter --cpu 1 --exclude-tid 0 ./demo.data >selected.data"' ] && [ "$(sed -n 4p "$T/got")" = '""' ] ||
	    failed "Enter: $(sed -n 3,4p "$T/got")"
	[ "$(sed -n 5,7p "$T/got" | paste -sd ' ')" = "true true 1" ] || failed "table: $(sed -n 5,7p "$T/got")"
	[ "$(sed -n 8p "$T/got" | cut -d . -f 1)" -lt 80 ] || failed "margin: $(sed -n 8p "$T/got")"
	[ "$(tail -n 1 "$T/got")" = true ] || failed "a drag on a phone: $(tail -n 1 "$T/got")"
	done_all
}

@test "pstat pictures and reports: the umask says who can read them; a dictionary is for its owner" {
	local mask want
	for mask in 022 077 027; do
		want=$(printf %o $((0666 & ~mask)))
		(umask $mask
		    pstat -f --report "$T/page.html" data/demo.data
		    pstat -f --picture cpu -o "$T/cpu.svg" data/demo.data
		    pstat -f --json -o "$T/report.json" data/demo.data
		    pfilter -q -f --anon all --anon-map "$T/map" -U "$T/rest" --pid 42 -o "$T/out.data" data/demo.data)
		[ "$(stat -c %a "$T/page.html" "$T/cpu.svg" "$T/report.json" | sort -u)" = "$want" ] || failed "$mask: $(stat -c '%a %n' "$T"/*)"
		[ "$(stat -c %a "$T/map" "$T/rest" "$T/out.data" | sort -u)" = 600 ] || failed "$mask: $(stat -c '%a %n' "$T"/*)"
	done
	done_all
}

@test "pstat --report: without a browser" {
	page data/demo.data demo.data
	f=$T/page.html
	# its figures are in the page without the script, too
	grep -q '<p class="lead">300 samples of 2 events' "$f" && grep -q '<strong>warning W14</strong>' "$f" &&
	    grep -q '<th scope="row" class="t">names of tasks</th>' "$f" && grep -q '>gzip</th><td>131</td>' "$f" || failed "$(wc "$f")"
	[ "$(grep -c '<svg ' "$f")" = 7 ] || failed "$(grep -c '<svg ' "$f") pictures"
	# the policy has the hashes of style and scripts, and nothing else has one
	for tag in style script; do
		hashes=$($PYTHON - "$f" $tag <<-'EOF'
		import base64, hashlib, re, sys
		texts = re.findall('<%s>(.*?)</%s>' % (sys.argv[2], sys.argv[2]), open(sys.argv[1], newline='').read(), re.S)
		print(*["'sha256-%s'" % base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts])
		EOF
		)
		grep -q "$tag-src $hashes;" "$f" || failed "$tag: $hashes"
	done
	! grep -Ei 'https?://|url\((?!#)|@import' "$f" | grep -v 'xmlns="http://www.w3.org/2000/svg"\|createElementNS\|const SVG' || failed "an address"
	# the same input, the same page
	cp "$f" "$T/first"
	page data/demo.data demo.data
	cmp "$T/first" "$f"
	# standard output and input; what goes with it
	pstat --report - - <data/demo.data >"$T/std"
	grep -q '"file":"FILE"' "$T/std" && grep -q 'id="data"' "$T/std" || failed "standard output"
	try pstat --report "$T/page.html" data/demo.data
	[ $rc = 2 ] || [ $rc = 1 ] || failed "an existing file: $rc"
	for o in --json '--sort pid' '--check' '-o x' '--picture cpu' --privacy '--top 3' '--merge' '--events' --term '--interval 1s' --tee --live; do
		try pstat --report "$T/x" $o data/demo.data
		[ $rc = 2 ] && [ ! -e "$T/x" ] || failed "$o: status $rc"
	done
	pstat -f --report "$T/x" --theme dark --scale log --time-quantum 100ms data/demo.data
	! grep -q 'prefers-color-scheme' "$T/x" && grep -q 'content="dark"' "$T/x" && grep -q '"width":100,' "$T/x" || failed "--theme, --time-quantum"
	done_all
}

@test "pstat --report: many cells are drawn coarser, and the counts stay exact" {
	need jq
	{ cat data/base.txt
	  awk 'BEGIN { for (t = 0; t < 400; t++) for (c = 0; c < 64; c++) for (k = 0; k <= (t + c) % 2; k++)
		printf "SAMPLE misc=2 ip=0x401000 pid=%d tid=%d cpu=%d time=%d period=1\n", 100 + c % 8, 100 + c % 8, c, 1000000000 + t * 20000000 + k }'
	} >"$T/recipe.txt"
	mkpipe "$T/recipe.txt" >"$T/many"
	page "$T/many" many.data
	[ $rc = 0 ] || failed "status $rc: $(cat "$T/err")"
	n=$(grep -c '<title>[0-9]* sample' "$T/page.html")
	[ "$n" -gt 2000 ] && [ "$n" -le 9000 ] && [ "$(stat -c %s "$T/page.html")" -lt 2000000 ] || failed "$n cells"
	sed -n 's|.*id="data">\(.*\)|\1|p; /^"total"/,/<.script>/p' "$T/page.html" | tr -d '\n' | sed 's|</script>.*||' >"$T/json"
	sums=$(jq -c '[.total, .rows[0][1], (.rows | length)] | [(.[:2][] | map(select(. > 0)) | add), .[2]]' "$T/json")
	[ "$sums" = '[38400,4800,72]' ] || failed "$sums"
	done_all
}
