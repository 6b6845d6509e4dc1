"""Answers each line {"text": ...} with the JSON that PyYAML's safe loader and json.dumps make of it, or with an error."""

import json
import sys

import yaml


class DatesAsText(yaml.CSafeLoader):
    """JSON has no dates, and json.dumps refuses them; here they stay as they are written."""


def construct_timestamp(loader, node):
    text = loader.construct_scalar(node)
    if not loader.timestamp_regexp.match(text):
        raise ValueError("not a timestamp")
    return text


DatesAsText.add_constructor("tag:yaml.org,2002:timestamp", construct_timestamp)


def answer(text):
    try:
        return {"output": json.dumps(yaml.load(text, Loader=DatesAsText), allow_nan=False)}
    except RecursionError:
        return {"fatal": True, "error": "too deep"}
    except Exception as error:  # whatever it is, PyYAML does not read this text
        return {"error": f"{type(error).__name__}: {error}"}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line)["text"])), flush=True)
