"""What a validator of data files in Python has to do at least: validate_peer.py BUNDLE DIRECTORY.

Reads the YAML of a directory, checks the schemas of a bundle, and each file by its schema. It looks at neither references nor
uniqueness, and explains nothing.
"""

import json
import pathlib
import sys

import yaml
from jsonschema import Draft6Validator, RefResolver

bundle, directory = sys.argv[1:]
schemas = json.loads(pathlib.Path(bundle).read_bytes())["schemas"]
files = [yaml.load(path.read_bytes(), Loader=yaml.CSafeLoader) for path in pathlib.Path(directory).rglob("*.yml")]
resolver = RefResolver("", {}, store=schemas, handlers={"": lambda uri: schemas[uri]})
for schema in schemas.values():
    Draft6Validator.check_schema(schema)
for file in files:
    Draft6Validator(schemas[file["$schema"]], resolver=resolver).validate(file)
