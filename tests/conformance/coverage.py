#!/usr/bin/env python3
"""Fails when a rule of docs/language.md is named by no file of the suite, a builtin is used by no kernel of a file with tests,
or another name that the language gives a meaning to by no file with tests.

usage: coverage.py PYKC
"""
import ast
import json
import pathlib
import re
import subprocess
import sys

SUITE = pathlib.Path(__file__).resolve().parent
REFERENCE = SUITE.parent.parent / "docs" / "language.md"
LINKED = {"extern"}  # a test of it needs other code, which tests/unit/driver/link_test.cpp has
DEVICE_DECORATORS = {"kernel", "device", "cuda.jit"}


def rules_of_reference():
    return re.findall(r"^\*\*(\d+\.\d+)\*\*", REFERENCE.read_text(), re.MULTILINE)


def rules_named_by(text):
    head = re.match(r"# Rules? ([\d., and]+):", text)
    return re.findall(r"\d+\.\d+", head.group(1)) if head else []


def dotted_name(node):
    """`math.sqrt` of an expression of names and dots, or None. `cuda.X` is `X`."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    parts.append(node.id)
    parts.reverse()
    return ".".join(parts[1:] if parts[0] == "cuda" and len(parts) > 1 else parts)


def decorator_names(function):
    for decorator in function.decorator_list:
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        name = dotted_name(target)
        yield "cuda.jit" if name == "jit" else name


def names_in_device_code(tree):
    names = set()
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef) and DEVICE_DECORATORS & set(decorator_names(function)):
            names.update(filter(None, (dotted_name(node) for node in ast.walk(function)
                                       if isinstance(node, (ast.Name, ast.Attribute)))))
    return names


def has_tests(tree):
    return any(isinstance(node, ast.FunctionDef) and "test" in decorator_names(node) for node in tree.body)


def main():
    pykc = sys.argv[1]
    all_rules = rules_of_reference()
    rules, used, words, mistakes = set(), set(), set(), []
    for path in sorted(SUITE.rglob("*.pyk")):
        text = path.read_text(errors="replace")
        named = rules_named_by(text)
        rules.update(named)
        for rule in named:
            if rule not in all_rules:
                mistakes.append(f"{path.relative_to(SUITE)}: the reference has no rule {rule}")
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError):
            continue  # a file that expects syntax errors
        if has_tests(tree):
            used |= names_in_device_code(tree)
            words |= set(re.findall(r"\w+", text))
    builtins = json.loads(subprocess.run([pykc, "builtins", "--format", "json"], check=True, capture_output=True).stdout)
    mistakes += [f"rule {rule} is named by no file" for rule in all_rules if rule not in rules]

    def is_used(row):
        return row["name"] in used or (row["kind"] != "builtin" and row["name"].split(".")[-1] in words)
    mistakes += [f"`{row['name']}` is used by no kernel" for row in builtins if not is_used(row) and row["name"] not in LINKED]
    print("\n".join(mistakes))
    covered = len(set(all_rules) & rules)
    print(f"{covered} of {len(all_rules)} rules, {sum(map(is_used, builtins))} of {len(builtins)} builtins")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
