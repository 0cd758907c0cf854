#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
# complete.py bash|zsh DIRECTORY LINE: what an interactive shell offers in place of the last word of the line, each in a line of its own.
# DIRECTORY: the completions, as make puts them there.  Fish can say it by itself: complete -C.
import os, pty, select, shlex, sys, tempfile, time

shell, where, line = sys.argv[1:]
home = tempfile.mkdtemp(dir=os.environ.get("T"))
out = home + "/out"
# M-* and _all_matches insert all completions; C-o writes the line.
if shell == "bash":
    rc = f"""PS1='READY>'
for f in {where}/*; do case $f in */_*|*.fish) ;; *) source "$f";; esac; done
bind 'set enable-bracketed-paste off'
bind '"\\C-t": insert-completions'
say() {{ printf %s "$READLINE_LINE" >{out}.new && mv {out}.new {out}; }}
bind -x '"\\C-o": say'
"""
    name, argv = "/bashrc", ["bash", "--noprofile", "--rcfile", home + "/bashrc", "-i"]
else:
    rc = f"""PROMPT='READY>'
fpath=({where} $fpath)
autoload -Uz compinit && compinit -C -u -d {os.path.dirname(home)}/zsh-dump
zstyle ':completion:*' completer _all_matches _complete
zstyle ':completion:*' insert true
say() {{ print -rn -- "$BUFFER" >{out}.new && mv {out}.new {out} }}
zle -N say
bindkey -e
bindkey '^O' say
bindkey '^T' complete-word
unsetopt auto_menu
"""
    name, argv = "/.zshrc", ["zsh", "-o", "no_global_rcs", "-i"]
with open(home + name, "w") as f:
    f.write(rc)
pid, tty = pty.fork()
if pid == 0:
    os.environ.update(ZDOTDIR=home, HOME=home, TERM="dumb", HISTFILE="")
    os.execvp(argv[0], argv)
seen = b""
sent = False
end = time.monotonic() + 20
while not os.path.exists(out) and time.monotonic() < end:
    if select.select([tty], [], [], 0.05)[0]:
        try:
            seen += os.read(tty, 65536)
        except OSError:
            break
    if not sent and b"READY>" in seen:
        os.write(tty, line.encode() + b"\x14\x0f")
        sent = True
os.kill(pid, 9)
os.waitpid(pid, 0)
if not os.path.exists(out):
    sys.exit(f"complete.py: {shell} wrote no line: {seen[-400:]!r}")
print("\n".join(shlex.split(open(out).read())[len(line.split(" ")) - 1:]))
