"""Holds files of test vectors against their JSON Schema.

Usage: check_vector_schema.py SCHEMA TESTDATA MALFORMED

Every *.json below TESTDATA must be valid, and every MALFORMED/schema_*.json must not. MALFORMED/reader_*.json are files
whose fault no schema can see: they must be valid here, and the reader's test expects it to refuse both kinds.
"""

import json
import pathlib
import sys

import jsonschema


def main():
    schema_path, testdata, malformed = map(pathlib.Path, sys.argv[1:])
    schema = json.loads(schema_path.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)

    def is_valid(path):
        return validator.is_valid(json.loads(path.read_text()))

    groups = [
        (sorted(testdata.rglob("*.json")), True),
        (sorted(malformed.glob("reader_*.json")), True),
        (sorted(malformed.glob("schema_*.json")), False),
    ]
    failures = 0
    for paths, expected in groups:
        if not paths:
            print("no files in one of the groups")
            failures += 1
        for path in paths:
            if is_valid(path) != expected:
                print(f"{path}: {'not ' if expected else ''}valid")
                failures += 1
    sys.exit(1 if failures else 0)


main()
