#!/usr/bin/env python3
"""Holds the operator specs against their JSON Schema.

Usage: validate_specs.py SCHEMA SPEC...
Also checks that the schema does its work: each spec with a member too many,
in any of its objects, must be refused.
"""

import copy
import json
import sys

import jsonschema


def objects(value):
    """Yields every object inside a JSON value, the value itself included."""
    if isinstance(value, dict):
        yield value
    members = value.values() if isinstance(value, dict) else value
    if isinstance(value, (dict, list)):
        for member in members:
            yield from objects(member)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    failures = 0
    for path in sys.argv[2:]:
        with open(path, encoding="utf-8") as file:
            spec = json.load(file)
        for error in validator.iter_errors(spec):
            place = "/".join(str(part) for part in error.absolute_path)
            print(f"{path}: {place}: {error.message}")
            failures += 1
        for index in range(sum(1 for _ in objects(spec))):
            broken = copy.deepcopy(spec)
            list(objects(broken))[index]["no_such_member"] = 1
            if validator.is_valid(broken):
                print(f"{path}: object {index} may have any member")
                failures += 1
    if not sys.argv[2:]:
        print("no spec given")
        failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
