#!/bin/sh
# SPDX-License-Identifier: ISC
# perfpipe TOOL ...: the tools by one name, for systems on which another program has a name of theirs.  See perfpipe(1).
# `make install' puts the directory of the tools, and what their names and those of their pages begin with, in place of these:
tools=@TOOLDIR@ prefix=@PROGRAM_PREFIX@ pages=@PAGE_PREFIX@

wrong() {
	echo "perfpipe: $1; see perfpipe --help" >&2
	exit 2
}

case ${1-} in
--help)	cat <<-END
	usage: perfpipe TOOL [options] [FILE...]
	       perfpipe help [TOOL]
	       perfpipe --path
	Run a tool of perfpipe: $(echo '@TOOLS@' | tr '|' ' ').

	  help TOOL   the page of a tool; without TOOL, perfpipe(7)
	  --path      print the directory of the tools, for PATH
	  --version   print the version
	END
	;;
--version) version=$("$tools/${prefix}pcat" --version) || exit 1
	printf '%s\n' "perfpipe${version#*(perfpipe)}";;
--path)	printf '%s\n' "$tools";;
help)	case ${2-} in
	'')	exec man 7 perfpipe;;
	@TOOLS@) exec man 1 "$pages$2";;
	*)	wrong "$2: no such tool";;
	esac;;
@TOOLS@) name=$1
	shift
	exec "$tools/$prefix$name" "$@";;
'')	wrong "needs the name of a tool";;
*)	wrong "$1: no such tool";;
esac
