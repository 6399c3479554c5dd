"""The macros of a preamble of CUDA C: `#define K 3`, `#define SQUARE(x) ((x) * (x))`."""
from __future__ import annotations

import re

_MACROS = re.compile(r"^[ \t]*#define[ \t]+(\w+)(\([\w ,]*\))?(?!\w)[ \t]*((?:[^/\n]|/(?!/))*)(?://.*)?$",
                     re.MULTILINE)


def with_macros(preamble: str, *texts: str) -> tuple[str, ...]:
    """The preamble without its macros, `#define K 3` and `#define SQUARE(x) ((x) * (x))`, and TEXTS, with what these
    stand for."""
    if re.search(r"^def ", preamble, re.MULTILINE):  # in the language of kernels, where they are comments
        return (preamble, *texts)
    preamble = preamble.replace("\\\n", " ")
    found = (_MACROS.sub("", preamble), *texts)
    for name, parameters, value in reversed(_MACROS.findall(preamble)):  # what one stands for has the names before it
        replaced = _called if parameters else _named
        found = tuple(replaced(text, name, parameters, value.strip()) for text in found)
    return found


def _named(text: str, name: str, _: str, value: str) -> str:
    return re.sub(rf"\b{name}\b", lambda _: value, text)


def _called(text: str, name: str, parameters: str, value: str) -> str:
    """The text with the VALUE in place of calls of a macro that has parameters."""
    names = [one.strip() for one in parameters[1:-1].split(",")]
    at = 0
    while call := re.compile(rf"\b{name}\s*\(").search(text, at):
        arguments, end = _arguments(text, call.end())
        given = dict(zip(names, arguments))
        body = re.sub(r"[A-Za-z_]\w*", lambda word: given.get(word[0], word[0]), value)
        text, at = text[:call.start()] + body + text[end:], call.start() + (len(body) if name in value else 0)
    return text


def _arguments(text: str, start: int) -> tuple[list[str], int]:
    """The arguments of a call, and the place behind it."""
    found, depth = [""], 0
    for place, character in enumerate(text[start:], start):
        if character == ")" and not depth:
            return [one.strip() for one in found], place + 1
        depth += (character in "([{") - (character in ")]}")
        found = [*found, ""] if character == "," and not depth else [*found[:-1], found[-1] + character]
    return found, len(text)
