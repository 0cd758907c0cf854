# SPDX-License-Identifier: ISC
"""Which lines of a library were reached, by what cover.c has written."""
import collections, os, re, subprocess


class Lines:
    """The lines of a library that tests/cover is in, and the marks that it makes."""
    def __init__(self, library):
        self.marks, self.of = [], collections.defaultdict(set)		# return addresses; {(file, line): numbers of marks}
        objdump = subprocess.Popen(["objdump", "-dl", "--no-show-raw-insn", library], stdout=subprocess.PIPE, text=True)
        at, mark, called = None, None, False
        for text in objdump.stdout:
            m = re.match(r"(?:.*/)?(common/\S+\.c):(\d+)", text)
            if m:
                at = m.group(1), int(m.group(2))
                continue
            m = re.match(r" *([0-9a-f]+):\t(.*)", text)
            if not m:
                mark = None if text.endswith(">:\n") else mark
                continue
            if called:
                self.marks.append(int(m.group(1), 16))
            called = "__sanitizer_cov_trace_pc" in m.group(2)
            if called:
                mark = len(self.marks)
            if mark is not None and at:
                self.of[at].add(mark)

    def reached(self, files):
        """Numbers of the marks in what COVER has written, which goes away."""
        found = set()
        for path in files:
            if os.path.exists(path):
                with open(path, "rb") as f:
                    data = f.read()
                os.remove(path)
                if data.count(0) < len(data):
                    found.update(i for i, at in enumerate(self.marks) if data[at])
        return found

    def near(self, path, line):
        """Marks of this line, or of the one before that has any: a condition may have several lines."""
        return next((self.of[path, n] for n in range(line, line - 10, -1) if (path, n) in self.of), set())
