# shellcheck shell=sh disable=SC1091,SC2154
# Each format of the report, full of hostile text, as independent readers see it.
. "$top_srcdir/tests/tap.sh"

emit="$top_builddir/tests/unit/report"
[ -x "$emit" ] || skip_all "tests/unit/report is not built"

for format in text json junit sarif github; do
    "$emit" "$format" >"$scratch/$format"
    is $? 0 "$format is written"
    "$emit" "$format" >"$scratch/again"
    cmp "$scratch/$format" "$scratch/again" >"$scratch/why" 2>&1
    ok $? "$format has the same bytes each time"
done
is "$(LC_ALL=C grep -c '[^ -~]' "$scratch/text")" 0 "text holds nothing but printable bytes"
is "$(tail -n 1 "$scratch/text")" "1 failed, 1 warning, 2 passed, 2 skipped" "text ends in the summary"
is "$(grep -vc '^::\(error\|warning\|notice\) [^:]*::' "$scratch/github")" 0 "github: each line is one annotation"

if command -v xmllint >/dev/null 2>&1; then
    xmllint --noout "$scratch/junit" >"$scratch/why" 2>&1
    ok $? "junit is well-formed XML"
    "$emit" junit random >"$scratch/random"
    xmllint --noout "$scratch/random" >"$scratch/why" 2>&1
    ok $? "junit is well-formed XML whatever the bytes are"
    is "$(xmllint --xpath 'string(//testcase[failure]/@name)' "$scratch/junit")" cudart-live "junit: what failed"
    is "$(xmllint --xpath 'count(//testcase/skipped)=//testsuite/@skipped' "$scratch/junit")" true "junit: skips"
    is "$(xmllint --xpath 'count(//testcase)=//testsuite/@tests' "$scratch/junit")" true "junit: tests"
    is "$(xmllint --xpath 'count(//failure)=//testsuite/@failures' "$scratch/junit")" true "junit: failures"
else
    skip "junit is well-formed XML" "xmllint is not here"
fi

if command -v python3 >/dev/null 2>&1; then
    python3 "$top_srcdir/tests/schema.py" "$top_srcdir/src/report/schemas/verify.json" "$scratch/json" \
        >"$scratch/why" 2>&1
    ok $? "json fits the installed schema"
    python3 "$top_srcdir/tests/schema.py" "$top_srcdir/tests/cli/sarif.json" "$scratch/sarif" >"$scratch/why" 2>&1
    ok $? "sarif fits the schema of what we write of it"
    "$emit" sarif random >"$scratch/random"
    python3 "$top_srcdir/tests/schema.py" "$top_srcdir/tests/cli/sarif.json" "$scratch/random" >"$scratch/why" 2>&1
    ok $? "sarif fits its schema whatever the bytes are"
    for change in 's/"fail"/"failed"/' 's/"line": 7/"line": 0/' 's/"message": /"text": /' 's/verify.1/verify\/2/'; do
        sed "$change" "$scratch/json" >"$scratch/wrong"
        ! python3 "$top_srcdir/tests/schema.py" "$top_srcdir/src/report/schemas/verify.json" "$scratch/wrong" \
            2>/dev/null
        ok $? "the schema refuses a document changed by $change"
    done
    python3 - "$scratch" >"$scratch/why" 2>&1 <<'EOF'
import json, os, sys
import urllib.parse
import xml.etree.ElementTree as ElementTree
where = sys.argv[1]
document = json.load(open(os.path.join(where, "json"), encoding="ascii"))
cases = ElementTree.parse(os.path.join(where, "junit")).getroot().findall("testsuite/testcase")
assert [case.get("name") for case in cases] == [check["id"] for check in document["checks"]]
run = json.load(open(os.path.join(where, "sarif"), encoding="ascii"))["runs"][0]
uri = run["results"][0]["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"]
parts = urllib.parse.urlsplit(uri)
assert parts.scheme == "file" and parts.netloc == "", uri
assert urllib.parse.unquote_to_bytes(parts.path) == b"/opt/a b:c,d%/lib\xff/libcudart.so.12", uri
base = run["originalUriBaseIds"]["%SRCROOT%"]["uri"]
pin = run["results"][1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
assert urllib.parse.urljoin(base, pin) == "file:///w/conf/environment.yml"
EOF
    ok $? "json, junit and sarif tell the same, and URIs decode to the very path"
else
    skip "json and sarif fit their schemas" "python3 is not here"
fi
finish
