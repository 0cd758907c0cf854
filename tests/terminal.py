# SPDX-License-Identifier: ISC
"""A program on a terminal of its own, which a test feeds and reads."""
import fcntl, os, pty, select, signal, struct, subprocess, termios

class Terminal:
    def __init__(self, argv, rows, columns, env={}):
        """argv runs there, with a pipe as standard input."""
        r, self.feed = os.pipe()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.dup2(r, 0)
            os.close(self.feed)
            os.environ.update(env)
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)
            os.execvp(argv[0], argv)
        os.close(r)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        mode = termios.tcgetattr(self.fd)
        mode[3] |= termios.NOFLSH	# else Ctrl-C drops what the terminal has not read yet
        termios.tcsetattr(self.fd, termios.TCSANOW, mode)
        self.out = b""

    def read(self, seconds):
        """What it writes in that time is added to out.  False: it has ended."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return True
        try:
            got = os.read(self.fd, 65536)
        except OSError:
            return False
        self.out += got
        return got != b""

    def status(self):
        return os.waitpid(self.pid, 0)[1]

def on_stderr(argv, to, work):
    """What argv writes to a terminal that is its standard error, while work() has its process; its output goes to a file, "-": to a pipe."""
    ours, theirs = pty.openpty()
    with open(to, "wb") if to != "-" else subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL).stdin as out:
        tool = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=out, stderr=theirs)
        work(tool)
        tool.wait()
    os.close(theirs)
    shown = b""
    try:
        while got := os.read(ours, 10000):	# one read does not always have all that was written
            shown += got
    except OSError:
        pass				# the end of a terminal
    return shown.decode()
