# SPDX-License-Identifier: ISC
# Each file says its licence in its first lines, or a REUSE.toml of its directory or one above says it.
load lib

@test "licences: of each file, and where the recordings of data/ are from" {
	need zstd
	/usr/bin/python3 -c 'import tomllib' 2>/dev/null || skip "needs tomllib of python 3.11"
	/usr/bin/python3 - >"$T/found" <<-'END'
	import os, re, subprocess, tomllib
	os.chdir("..")
	names = []
	for top in ("Makefile", "README.md", ".ci", "common", "cmd", "man", "tests"):
	    names += [top] if os.path.isfile(top) else [os.path.join(d, f) for d, dirs, files in os.walk(top) if "__pycache__" not in d for f in files]
	def pattern(path):	# as REUSE says: * is no slash, ** is anything
	    return re.compile("".join(".*" if p == "**" else "[^/]*" if p == "*" else re.escape(p) for p in re.split(r"(\*\*/?|\*)", path.replace("**/", "**"))))
	rows = {}
	for name in names:
	    if os.path.basename(name) == "REUSE.toml":
	        with open(name, "rb") as f:
	            told = tomllib.load(f)["annotations"]
	        rows[os.path.dirname(name)] = [(p, pattern(p), a.get("SPDX-License-Identifier")) for a in told
	            for p in ([a["path"]] if isinstance(a["path"], str) else a["path"])]
	used = set()
	def licence(name):
	    head = open(name, "rb").read(1000)
	    own = re.search(rb"SPDX-License-" rb"Identifier: ([A-Za-z0-9.-]+(?: AND [A-Za-z0-9.-]+)*)", head)
	    up = os.path.dirname(name)
	    while up and up not in rows:
	        up = os.path.dirname(up)
	    found = None
	    for p, match, what in rows.get(up, []):
	        if match.fullmatch(name[len(up) + 1:]):
	            used.add((up, p))
	            found = what
	    return own.group(1).decode() if own and up != "tests/data" else found
	with open("tests/data/README") as f:
	    origins = f.read()
	for name in names:
	    is_ = licence(name)
	    if not is_:
	        print(name, "has no licence")
	    data = open(name, "rb").read()
	    if name.endswith(".zst"):
	        data = subprocess.run(["zstd", "-qdc", name], capture_output=True).stdout if "bomb" not in name else b""
	    if b"print fmt: " in data and "GPL" not in str(is_) and name.startswith(("tests/data/", "tests/fuzz/")) and not name.endswith(("made", ".toml")):
	        print(name, "has texts of the kernel")
	    if os.path.dirname(name) == "tests/data" and not name.endswith((".txt", "README", ".toml")) and os.path.basename(name) not in origins:
	        print(name, "is not in tests/data/README")
	for up in rows:
	    for p, _, _ in rows[up]:
	        if (up, p) not in used:
	            print(up + "/REUSE.toml: nothing is", p)
	print(len(names), "files")
	END
	[ "$(sed -n '$s/ files$//p' "$T/found")" -gt 1500 ] || failed "files not found"
	! sed '$d' "$T/found" | grep . || failed "these"
	done_all
}
