# shellcheck shell=sh disable=SC1091,SC2154
# tests/schema.py, which other tests rely on, tells right documents from wrong ones.
. "$top_srcdir/tests/tap.sh"

command -v python3 >/dev/null 2>&1 || skip_all "python3 is not here"

# verdict SCHEMA DOCUMENT: "fits", "does not fit" or "error"
verdict() {
    printf '%s' "$1" >"$scratch/schema"
    printf '%s' "$2" >"$scratch/document"
    if python3 "$top_srcdir/tests/schema.py" "$scratch/schema" "$scratch/document" 2>"$scratch/stderr"; then
        echo fits
    elif grep -q 'unknown keyword\|Traceback' "$scratch/stderr"; then
        echo error
    else
        echo does not fit
    fi
}

while IFS='|' read -r schema document wanted; do
    is "$(verdict "$schema" "$document")" "$wanted" "$schema and $document"
done <<'EOF'
{"type": "integer"}|1|fits
{"type": "integer"}|1.0|fits
{"type": "integer"}|1.5|does not fit
{"type": "integer"}|true|does not fit
{"type": ["string", "null"]}|null|fits
{"type": ["string", "null"]}|0|does not fit
{"type": "array", "items": {"type": "string"}}|["a", "b"]|fits
{"type": "array", "items": {"type": "string"}}|["a", 1]|does not fit
{"required": ["a"]}|{"a": null}|fits
{"required": ["a"]}|{"b": null}|does not fit
{"properties": {"a": {"minimum": 1}}}|{"a": 1}|fits
{"properties": {"a": {"minimum": 1}}}|{"a": 0}|does not fit
{"properties": {"a": true}, "additionalProperties": false}|{"a": 1}|fits
{"properties": {"a": true}, "additionalProperties": false}|{"b": 1}|does not fit
{"additionalProperties": {"type": "string"}}|{"b": 1}|does not fit
{"enum": ["a", 1]}|1|fits
{"enum": ["a", 1]}|true|does not fit
{"const": {"a": [1]}}|{"a": [1.0]}|fits
{"const": "x"}|"y"|does not fit
{"pattern": "^a+$"}|"aa"|fits
{"pattern": "^a+$"}|"ab"|does not fit
{"minItems": 1}|[]|does not fit
{"anyOf": [{"type": "null"}, {"minimum": 2}]}|3|fits
{"anyOf": [{"type": "null"}, {"type": "string"}]}|3|does not fit
{"oneOf": [{"minimum": 1}, {"minimum": 2}]}|3|does not fit
{"$ref": "#/definitions/a", "definitions": {"a": {"type": "null"}}}|null|fits
{"$ref": "#/definitions/a", "definitions": {"a": {"type": "null"}}}|1|does not fit
{"format": "date"}|"x"|error
{}|{"a": 1, "a": 2}|does not fit
{}|{"a": 1,}|does not fit
EOF
finish
