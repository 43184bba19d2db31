#!/usr/bin/env python3
"""schema.py SCHEMA DOCUMENT: exit 0 when the JSON document ("-": standard input) fits the JSON Schema (draft-07).

Knows the keywords that this project's schemas use and nothing else: a keyword that it does not know is an error,
so that no part of a schema goes unchecked.
"""
import json
import re
import sys

ANNOTATIONS = {"$schema", "$id", "$comment", "title", "description", "default", "examples", "definitions"}


class Invalid(Exception):
    pass


def fail(path, text, *args):
    raise Invalid("%s: %s" % (path or "/", text % args))


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


TYPES = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "number": is_number,
    "integer": lambda value: is_number(value) and value == int(value),
}


def same(left, right):
    """Equality as JSON has it: true is not 1, and 1.0 is 1."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    return left == right


def fits(checker, schema, value, path):
    try:
        checker.check(schema, value, path)
    except Invalid:
        return False
    return True


class Checker:
    def __init__(self, root):
        self.root = root

    def check(self, schema, value, path):
        if schema is True:
            return
        if schema is False:
            fail(path, "nothing is allowed here")
        if "$ref" in schema:
            self.check(self.resolve(schema["$ref"]), value, path)
            return
        for keyword, argument in schema.items():
            if keyword in ANNOTATIONS:
                continue
            method = getattr(self, "check_" + keyword, None)
            if not method:
                sys.exit("schema.py: unknown keyword %r in the schema" % keyword)
            method(argument, value, path, schema)

    def resolve(self, ref):
        if not ref.startswith("#"):
            sys.exit("schema.py: %r is not in this file" % ref)
        target = self.root
        for part in ref[1:].split("/")[1:]:
            target = target[part.replace("~1", "/").replace("~0", "~")]
        return target

    def check_type(self, wanted, value, path, _):
        wanted = [wanted] if isinstance(wanted, str) else wanted
        if not any(TYPES[name](value) for name in wanted):
            fail(path, "%s is not of type %s", json.dumps(value)[:60], " or ".join(wanted))

    def check_enum(self, wanted, value, path, _):
        if not any(same(value, one) for one in wanted):
            fail(path, "%s is none of %s", json.dumps(value)[:60], json.dumps(wanted))

    def check_const(self, wanted, value, path, _):
        if not same(value, wanted):
            fail(path, "%s is not %s", json.dumps(value)[:60], json.dumps(wanted))

    def check_required(self, names, value, path, _):
        for name in names if isinstance(value, dict) else ():
            if name not in value:
                fail(path, "the member %r is missing", name)

    def check_properties(self, properties, value, path, _):
        for name, schema in properties.items() if isinstance(value, dict) else ():
            if name in value:
                self.check(schema, value[name], path + "/" + name)

    def check_additionalProperties(self, schema, value, path, owner):
        for name in value if isinstance(value, dict) else ():
            if name in owner.get("properties", {}):
                continue
            if schema is False:
                fail(path, "the member %r is not allowed", name)
            self.check(schema, value[name], path + "/" + name)

    def check_items(self, schema, value, path, _):
        if isinstance(schema, list):
            sys.exit("schema.py: a list of schemas in \"items\" is not known")
        for index, item in enumerate(value if isinstance(value, list) else ()):
            self.check(schema, item, "%s/%d" % (path, index))

    def check_minItems(self, least, value, path, _):
        if isinstance(value, list) and len(value) < least:
            fail(path, "fewer than %d items", least)

    def check_maxItems(self, most, value, path, _):
        if isinstance(value, list) and len(value) > most:
            fail(path, "more than %d items", most)

    def check_minimum(self, least, value, path, _):
        if is_number(value) and value < least:
            fail(path, "%s is less than %s", value, least)

    def check_maximum(self, most, value, path, _):
        if is_number(value) and value > most:
            fail(path, "%s is more than %s", value, most)

    def check_minLength(self, least, value, path, _):
        if isinstance(value, str) and len(value) < least:
            fail(path, "shorter than %d characters", least)

    def check_pattern(self, pattern, value, path, _):
        if isinstance(value, str) and not re.search(pattern, value):
            fail(path, "%s does not match %s", json.dumps(value)[:60], pattern)

    def check_anyOf(self, schemas, value, path, _):
        if not any(fits(self, schema, value, path) for schema in schemas):
            fail(path, "%s fits none of the alternatives", json.dumps(value)[:60])

    def check_oneOf(self, schemas, value, path, _):
        if sum(fits(self, schema, value, path) for schema in schemas) != 1:
            fail(path, "%s does not fit exactly one of the alternatives", json.dumps(value)[:60])


def no_duplicates(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a member stands twice in one object")
    return members


def load(name):
    try:
        if name == "-":
            return json.loads(sys.stdin.buffer.read().decode("utf-8"), object_pairs_hook=no_duplicates)
        with open(name, encoding="utf-8") as stream:
            return json.load(stream, object_pairs_hook=no_duplicates)
    except (OSError, ValueError) as error:
        sys.exit("schema.py: %s: %s" % (name, error))


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: schema.py SCHEMA DOCUMENT")
    schema, document = load(sys.argv[1]), load(sys.argv[2])
    try:
        Checker(schema).check(schema, document, "")
    except Invalid as error:
        sys.exit("schema.py: %s: %s" % (sys.argv[2], error))


if __name__ == "__main__":
    main()
