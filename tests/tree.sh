# The rooms: includes go leftward only, nothing prints below cmd, report and render, nothing exits below condagpu.c.
# shellcheck shell=sh disable=SC1091,SC2154
. "$top_srcdir/tests/tap.sh"
cd "$top_srcdir" || exit 99

# may ROOM: the rooms whose headers it may include besides its own. The facts are facts.h.
may() {
    case $1 in
    util) echo "" ;;
    data) echo "util" ;;
    spec | prefix | probe | loader | net) echo "util data" ;;
    plan | check) echo "util data spec prefix probe loader plan facts" ;;
    render) echo "util data spec prefix probe loader facts plan" ;;
    report) echo "util data spec prefix probe loader facts plan check" ;;
    cmd) echo "util data spec prefix probe loader net facts plan check render report" ;;
    *) return 1 ;;
    esac
}

# Comments and strings gone: what is left is code. Lines keep their numbers.
code() {
    awk '
        {
            line = $0
            out = ""
            while (line != "") {
                if (comment) {
                    at = index(line, "*/")
                    if (!at) { line = ""; continue }
                    comment = 0
                    line = substr(line, at + 2)
                } else if (match(line, /^\/\*/)) {
                    comment = 1
                    line = substr(line, 3)
                } else if (match(line, /^\/\//)) {
                    line = ""
                } else if (match(line, /^"([^"\\]|\\.)*"/) || match(line, /^'"'"'([^'"'"'\\]|\\.)*'"'"'/)) {
                    out = out "\"\""
                    line = substr(line, RLENGTH + 1)
                } else {
                    out = out substr(line, 1, 1)
                    line = substr(line, 2)
                }
            }
            print FNR ":" out
        }' "$1"
}

# uses FILE NAME...: the lines that call one of the functions
uses() {
    _file=$1
    shift
    code "$_file" | grep -E "(^|[^A-Za-z0-9_.>])($(echo "$*" | tr ' ' '|'))[[:space:]]*\\(" | sed "s|^|$_file:|"
}

for room in src/*/; do
    room=${room#src/}
    room=${room%/}
    : >"$scratch/why"
    if ! rooms=$(may "$room"); then
        echo "the room is not known: give it a row in tests/tree.sh" >"$scratch/why"
        ok 1 "$room includes leftward only"
        continue
    fi
    for file in src/"$room"/*.[ch] src/"$room"/*.cc; do
        [ -f "$file" ] || continue
        grep -n '^ *# *include *"' "$file" | sed 's/^\([0-9]*\):.*"\(.*\)".*/\1 \2/' | while read -r line path; do
            case " $room $rooms " in
            *" ${path%%/*} "*) ;;
            *" facts "*) [ "$path" = facts.h ] || echo "$file:$line: $path" ;;
            *) echo "$file:$line: $path" ;;
            esac
        done
    done >"$scratch/why"
    [ ! -s "$scratch/why" ]
    ok $? "$room includes leftward only"
done

# What is preloaded into another process, or runs in a child, is a program of its own.
for room in src/*/; do
    case $room in src/cmd/ | src/report/ | src/render/) continue ;; esac
    for file in "$room"*.c "$room"*.cc; do
        [ -f "$file" ] || continue
        case $file in src/loader/*preload* | src/loader/live*) continue ;; esac
        uses "$file" printf fprintf vprintf vfprintf puts fputs putchar putc fputc perror
    done
done >"$scratch/why"
[ ! -s "$scratch/why" ]
ok $? "nothing prints below cmd, report and render"

for file in src/*/*.c src/*/*.cc; do
    case $file in src/loader/*preload* | src/loader/live*) continue ;; esac
    uses "$file" exit quick_exit errx
done >"$scratch/why"
[ ! -s "$scratch/why" ]
ok $? "nothing exits below condagpu.c"

# The rules themselves catch what they are for.
printf '/* exit(1) */\nconst char *s = "exit(1)";\nvoid f(void) { g(); exit (1); }\nint my_exit(int);\n' >"$scratch/probe.c"
is "$(uses "$scratch/probe.c" exit | sed 's/.*probe.c:\([0-9]*\):.*/\1/')" 3 "comments, strings and other names are no calls"

is "$(grep -rnE '(T[O]DO|F[I]XME)' src templates man bootstrap .ci | head -n 5)" "" "nothing is left for later"
is "$(find . -name .git -prune -o -path './build*' -prune -o -name '*.sh' -print | while read -r f; do grep -l "$(printf '\r')" "$f"; done)" "" \
    "no script has DOS line ends"
if command -v shellcheck >/dev/null 2>&1; then
    for script in bootstrap .ci/run tests/demo.sh tests/tap.sh tests/prefix.sh tests/*.sh tests/*/*.sh tests/bench/run; do
        [ -f "$script" ] || continue
        shellcheck -S warning -e SC1091,SC2154 "$script" >>"$scratch/lint" 2>&1 || echo "$script" >>"$scratch/bad"
    done
    if [ -f "$scratch/bad" ]; then mv "$scratch/lint" "$scratch/why"; fi
    [ ! -f "$scratch/bad" ]
    ok $? "shellcheck has nothing to say"
else
    skip "shellcheck has nothing to say" "shellcheck is not installed"
fi
finish
