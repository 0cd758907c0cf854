#!/bin/sh
# SPDX-License-Identifier: ISC
# completions.sh bash|zsh|fish TOOL [PREFIX]: the completion of its command line for that shell, made of TOOL --list-options.
# PREFIX: what the names of the installed tools begin with.
# completions.sh bash|zsh|fish perfpipe TOOL...: that of perfpipe(1), which has those of the tools in it: another program may have such
# a name, and a completion of that name.
#
# Names of events and threads are those of the recording that the command line names, as far as it is a regular file of at most 32 MB.
# They are data of somebody else: only printable ASCII is offered, and nothing evaluates it.
if [ "$2" = perfpipe ]; then
	shell=$1
	shift 2
	words="$(for t; do echo "${t##*/}"; done | paste -s -d ' ')"
	[ "$shell" != zsh ] || echo '#compdef perfpipe'
	for t; do
		[ "$shell" != zsh ] || echo "_perfpipe-${t##*/}() {"
		"$0" "$shell" "$t" perfpipe- | sed 's/^complete -F .*//; s/^#compdef.*//' || exit 1
		[ "$shell" != zsh ] || echo '}'
	done
	case $shell in
	bash) cat <<-END
		_perfpipe() {
			local tool=\${COMP_WORDS[1]} line=\${COMP_LINE#*"\${COMP_WORDS[0]}"}
			if ((COMP_CWORD == 1)); then
				COMPREPLY=(\$(compgen -W "$words help --path --help --version" -- "\$tool"))
			elif [[ \$tool = help ]]; then
				COMPREPLY=(\$(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
			elif declare -F "_perfpipe-\$tool" >/dev/null; then
				line=\${line#"\${line%%[![:space:]]*}"}
				((COMP_POINT -= \${#COMP_LINE} - \${#line}, COMP_CWORD--))
				COMP_LINE=\$line COMP_WORDS=("\${COMP_WORDS[@]:1}")
				"_perfpipe-\$tool"
			fi
		}
		complete -F _perfpipe perfpipe
		END
	;;
	zsh) cat <<-END
		if ((CURRENT == 2)); then
			compadd -- $words help --path --help --version
		elif [[ \$words[2] = help ]]; then
			compadd -- $words
		elif ((\$+functions[_perfpipe-\$words[2]])); then
			shift words
			((CURRENT--))
			_perfpipe-\$words[1]
		fi
		END
	;;
	fish) cat <<-END
		complete -c perfpipe -f
		complete -c perfpipe -n __fish_use_subcommand -a '$words help'
		complete -c perfpipe -n __fish_use_subcommand -l path -d 'print the directory of the tools'
		complete -c perfpipe -n '__fish_seen_subcommand_from help' -a '$words'
		complete -c perfpipe -n '__fish_seen_subcommand_from $words' -a '(complete -C (string replace -r "^\s*\S+\s+" perfpipe- -- (commandline -cp)))'
		END
	;;
	esac
	exit
fi
shell=$1 prefix=${3-}
tool=$prefix${2##*/}
list=$("$2" --list-options) || { echo "completions.sh: $2 does not run here" >&2; exit 1; }

# The names in the first column of a table of pstat, which another package may have, too; $f is the recording.
names="timeout 2 perfpipe pstat -q --no-index --format=tsv --table \$table -i \"\$f\" </dev/null 2>/dev/null |
				env LC_ALL=C sed '1d; s/	.*//; /^\$/d; /[,\]/d; /^\x27/d; /[^ -~]/d' | head -n 500"

case $shell in
bash) cat <<END
# bash completion of $tool; made of $tool --list-options
__perfpipe_names() {
	local table=\$1 w f before=
	for w in "\${COMP_WORDS[@]:1}"; do
		f=\${w//[\\\\\\'\\"]/}
		[[ \$f != '~/'* ]] || f=\$HOME/\${f:2}
		if [[ \$w != -* && \$before != -o && \$before != -U && \$before != --output && \$before != --rejected && -f \$f && -r \$f ]] &&
		    [ "\$(stat -Lc %s -- "\$f" 2>/dev/null || echo 99999999)" -le 33554432 ]; then
			$names
			return
		fi
		before=\$w
	done
}
_$tool() {
	local IFS=\$' \\t\\n' line=\${COMP_LINE:0:COMP_POINT} cur=\${COMP_WORDS[COMP_CWORD]} word value opt takes= of= words= list= offer name have
	local -a said
	read -ra said <<<"\${line//\$'\\n'/ }"
	word=\${line##*[[:space:]]}
	[[ -z \$word ]] || unset 'said[\${#said[@]}-1]'
	[[ \$cur != [=:] ]] || cur=
	value=\$word opt=\${said[\${#said[@]}-1]}
	[[ \$word != --*=* ]] || { opt=\${word%%=*}= value=\${word#*=}; }
	COMPREPLY=()
	case \$opt in
END
;;
zsh) cat <<END
#compdef -p $tool
# zsh completion of $tool; made of $tool --list-options.  By -p, since zsh has a completion for another pcat.
_compskip=all
__perfpipe_names() {
	local table=\$1 w f before=
	local -a names
	for w in "\${(@)words[2,-1]}"; do
		f=\${(Q)w}
		[[ \$f != '~/'* ]] || f=\$HOME/\${f[3,-1]}
		if [[ \$w != -* && \$before != -(o|U|-output|-rejected) && -f \$f && -r \$f ]] &&
		    [ "\$(stat -Lc %s -- "\$f" 2>/dev/null || echo 99999999)" -le 33554432 ]; then
			names=("\${(@f)\$($names)}")
			compset -P '*,'
			[[ -z "\$names" ]] || compadd -S '' -a names
			return
		fi
		before=\$w
	done
	_message 'no recording is named'
}
_arguments -s -S \\
END
;;
fish) cat <<END
# fish completion of $tool; made of $tool --list-options
function __perfpipe_list --description 'the words of standard input behind those that the argument has'
	set -l have (string replace -r -- '^(--[^=]*=)?(.*,)?[^,]*\$' '\$2' (commandline -ct))
	while read -l name
		printf '%s%s\\n' \$have \$name
	end
end
function __perfpipe_names --argument-names table
	set -l before
	for w in (commandline -op)[2..-1]
		set -l f (string replace -r '^~/' \$HOME/ -- \$w)
		if not string match -q -- '-*' \$w; and not contains -- "\$before" -o -U --output --rejected; and test -f "\$f" -a -r "\$f"
			if test (stat -Lc %s -- "\$f" 2>/dev/null; or echo 99999999) -le 33554432
				$names | __perfpipe_list
				return
			end
		end
		set before \$w
	end
end
END
;;
*) echo "usage: completions.sh bash|zsh|fish TOOL" >&2; exit 2;;
esac

printf '%s\n' "$list" | awk -v shell="$shell" -v tool="$tool" '
function text(key,	s) {
	if (!match($0, "\"" key "\":\"([^\"\\\\]|\\\\.)*\""))
		return ""
	s = substr($0, RSTART + length(key) + 4, RLENGTH - length(key) - 5)
	gsub(/\\"/, "\"", s)
	gsub(/\\\\/, "\\", s)
	return s
}
function list_of(key,	s) {
	match($0, "\"" key "\":\\[[^]]*\\]")
	s = substr($0, RSTART + length(key) + 4, RLENGTH - length(key) - 5)
	gsub(/"/, "", s)
	gsub(/,/, " ", s)
	return s
}
function quoted(s) {	# for zsh and fish, within single quotes
	if (shell == "fish")
		gsub(/\\/, "\\\\", s)
	gsub(/\047/, shell == "fish" ? "\\\047" : "\047\\\047\047", s)
	return s
}
function spec(s) {	# a text of a specification of _arguments
	gsub(/\\/, "\\\\", s)
	gsub(/\[/, "\\[", s)
	gsub(/\]/, "\\]", s)
	gsub(/:/, "\\:", s)
	return quoted(s)
}
!/^\{"name":/ { next }
{
	name = text("name"); letter = text("letter"); arg = text("arg"); of = text("of"); words = list_of("words"); help = text("help")
	optional = arg ~ /^\[/
	several = arg == "LIST" || arg == "EXPR" || arg == "RANGES" || arg ~ /\.\.\.$/ || name == "input" || name == "verbose"
	listed = arg == "LIST" || arg == "[=LIST]" || arg == "KEYS"
	list = listed ? "yes" : ""
}
shell == "bash" {
	all = all (all == "" ? "" : " ") "--" name
	if (arg == "")
		next
	if (!optional)
		printf "\t%s--%s|--%s=)", letter == "" ? "" : "-" letter "|", name, name
	else
		printf "\t--%s=)", name
	printf "\ttakes=yes%s%s%s;;\n", of == "" ? "" : " of=" of, words == "" ? "" : " words=\047" words "\047", listed ? " list=yes" : ""
}
shell == "zsh" {
	printf "\t\047%s\047", several ? "*" : letter != "" ? "(-" letter " --" name ")" : ""
	end = arg == "" ? "" : optional ? "=-" : "="
	if (letter != "")
		printf "{-%s%s,--%s%s}", letter, arg == "" ? "" : optional ? "-" : "+", name, end
	else
		printf "--%s%s", name, end
	printf "\047[%s]", spec(help)
	if (arg != "") {
		sub(/^\[=/, "", arg)
		sub(/\]$/, "", arg)
		printf "%s:%s:", optional ? ":" : "", spec(arg)
		if (of == "file")
			printf "_files"
		else if (of == "dir")
			printf "_files -/"
		else if (of != "")
			printf " __perfpipe_names %s", of
		else if (words != "" && listed)
			printf "_values -s , %s %s", "word", words
		else if (words != "")
			printf "(%s)", words
		else
			printf " "
	}
	printf "\047 \\\n"
}
shell == "fish" {
	printf "complete -c %s", tool
	if (letter != "")
		printf " -s %s", letter
	printf " -l %s -d \047%s\047", name, quoted(help)
	if (of == "file")
		printf " -r -F"
	else if (of == "dir")
		printf " -x -a \047(__fish_complete_directories)\047"
	else if (of != "")
		printf " -x -a \047(__perfpipe_names %s)\047", of
	else if (words != "" && listed)
		printf " %s -a \047(string split \" \" \"%s\" | __perfpipe_list)\047", optional ? "-f" : "-x", words
	else if (words != "")
		printf " %s -a \047%s\047", optional ? "-f" : "-x", words
	else if (arg != "" && !optional)
		printf " -x"
	printf "\n"
}
END {
	if (shell == "bash")
		printf "\tesac\n\t[[ $takes ]] || words=\047%s\047\n", all
	if (shell == "zsh")
		print "\t\047*:FILE:_files\047"
}' || exit 1
case $shell in
bash) cat <<END
	if [[ \$of = file || \$of = dir || ! \$takes\$of && \$word != -* ]]; then
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(if [[ \$of = dir ]]; then compgen -d -- "\$cur"; else compgen -f -- "\$cur"; fi)
		return
	fi
	have=
	[[ ! \$list || \$value != *,* ]] || have=\${value%,*},
	while IFS= read -r name; do
		[[ \$name = "\${value#"\$have"}"* ]] || continue
		printf -v offer '%s%s%q' "\${word%"\$value"}" "\$have" "\$name"
		COMPREPLY+=("\${offer#"\${word%"\$cur"}"}")
	done < <(if [[ \$of ]]; then __perfpipe_names "\$of"; else printf '%s\\n' \$words; fi)
	[[ ! \$list ]] || compopt -o nospace 2>/dev/null
}
complete -F _$tool $tool
END
esac
