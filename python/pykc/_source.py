"""The text of a Python function: where it stands in its file, and the lines of its `def`, dedented."""
from __future__ import annotations

import sys
import types
from typing import TYPE_CHECKING, Callable, NamedTuple

if TYPE_CHECKING:
    import ast

REMEDY = ("pykc compiles the text of a function, and Python keeps none for this one: put it into a file or a notebook "
          "cell, or give the text to `linecache.cache` under the file's name before `exec`")


class SourceError(OSError):
    """The text of a function cannot be found."""


class FunctionText(NamedTuple):
    """A `def` as it stands in its file. Lines count from 1."""
    name: str
    text: str  # the lines of the `def`, without its decorators and with `indentation` taken off
    file: str
    line: int  # of `def`
    indentation: str
    tree: ast.FunctionDef  # of `text`


def function_text(function: types.FunctionType) -> FunctionText:
    import ast
    import linecache
    code = function.__code__
    lines = linecache.getlines(code.co_filename, function.__globals__) or _command_line(function)
    if not lines:
        raise SourceError(f"no source for `{function.__name__}` ({code.co_filename}, line {code.co_firstlineno}): "
                          + REMEDY)
    found = _definition(_file_tree(code.co_filename, lines), code)
    if found is None:
        raise SourceError(f"`{function.__name__}` no longer stands in line {code.co_firstlineno} of "
                          f"{code.co_filename}: the file has changed since it was loaded")
    if isinstance(found, ast.Lambda):
        return _text_of_lambda(found, lines, code)
    indentation = lines[found.lineno - 1][:found.col_offset]
    text = "".join(line.removeprefix(indentation) for line in lines[found.lineno - 1:found.end_lineno])
    return parsed_text(text, code.co_filename, found.lineno, indentation)


def text_of(text: str, file: str = "<text>") -> FunctionText:
    """The one function that a text holds."""
    import ast
    definitions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    if len(definitions) != 1:
        raise SourceError("the text must hold one function")
    found = definitions[0]
    lines = text.splitlines(keepends=True)[found.lineno - 1:found.end_lineno]
    return parsed_text("".join(lines), file, found.lineno, "")


def without_annotations(text: FunctionText, is_type: Callable[[str], bool]) -> FunctionText:
    """The text with blanks for annotations of parameters and result that are no types of kernels: Numba ignores
    them."""
    import ast
    tree = text.tree
    arguments = tree.args.posonlyargs + tree.args.args + tree.args.kwonlyargs
    found = [one.annotation for one in [*arguments, tree.args.vararg] if one is not None and one.annotation is not None]
    found += [tree.returns] if tree.returns is not None else []
    content = text.text.encode()
    starts = [0]
    for line in content.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for annotation in found:
        if is_type(ast.unparse(annotation)):
            continue
        start = starts[annotation.lineno - 1] + annotation.col_offset
        end = starts[annotation.end_lineno - 1] + annotation.end_col_offset
        start = content.rindex(b"->" if annotation is tree.returns else b":", 0, start)
        blank = bytes(byte if byte in b"\r\n" else ord(" ") for byte in content[start:end])
        content = content[:start] + blank + content[end:]
    return parsed_text(content.decode(), text.file, text.line, text.indentation)


def parsed_text(text: str, file: str, line: int, indentation: str) -> FunctionText:
    import ast
    if not text.endswith("\n"):
        text += "\n"
    tree = ast.parse(text).body[0]
    assert isinstance(tree, ast.FunctionDef)
    return FunctionText(tree.name, text, file, line, indentation, tree)


def _text_of_lambda(node: ast.Lambda, lines: list[str], code: types.CodeType) -> FunctionText:
    import ast
    source = "".join(lines)
    arguments = ast.unparse(node.args)
    body = ast.get_source_segment(source, node.body)
    return parsed_text(f"def function({arguments}): return ({body})\n", code.co_filename, node.lineno, "")


def _command_line(function: types.FunctionType) -> list[str]:
    """The text behind `python -c`, which Python itself keeps from 3.13 on."""
    arguments = getattr(sys, "orig_argv", [])
    main = sys.modules.get("__main__")
    if "-c" not in arguments[:-1] or function.__code__.co_filename != "<string>" or \
            function.__globals__ is not vars(main):
        return []
    if "<string>" not in _command_lines:
        _command_lines["<string>"] = arguments[arguments.index("-c") + 1].splitlines(keepends=True)
    return _command_lines["<string>"]


_command_lines: dict[str, list[str]] = {}
_trees: dict[str, tuple[list[str], ast.Module]] = {}


def _file_tree(file: str, lines: list[str]) -> ast.Module:
    import ast
    known = _trees.get(file)
    if known is None or known[0] is not lines:
        try:
            tree = ast.parse("".join(lines))
        except SyntaxError as error:
            raise SourceError(f"{file} is no longer the text that was loaded: {error}") from None
        known = _trees[file] = (lines, tree)
    return known[1]


def _definition(tree: ast.Module, code: types.CodeType) -> ast.FunctionDef | ast.Lambda | None:
    import ast
    kind = ast.Lambda if code.co_name == "<lambda>" else ast.FunctionDef
    names = code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]
    for node in ast.walk(tree):
        if not isinstance(node, kind) or _arguments(node.args) != names:
            continue
        if isinstance(node, ast.Lambda):
            if node.lineno == code.co_firstlineno and _holds(node, code):
                return node
        elif node.name == code.co_name and _first_line(node) == code.co_firstlineno:
            return node
    return None


def _arguments(arguments: ast.arguments) -> tuple[str, ...]:
    return tuple(argument.arg for argument in arguments.posonlyargs + arguments.args + arguments.kwonlyargs)


def _first_line(node: ast.FunctionDef) -> int:
    return min([node.lineno] + [decorator.lineno for decorator in node.decorator_list])


def _holds(node: ast.Lambda, code: types.CodeType) -> bool:
    """Whether the code is that of this lambda, of several in one line."""
    if not hasattr(code, "co_positions"):  # before Python 3.11 the line alone is known
        return True
    columns = [(line, column) for line, _, column, _ in code.co_positions() if column]
    if not columns:
        return True
    start, end = (node.body.lineno, node.body.col_offset), (node.body.end_lineno, node.body.end_col_offset)
    return all(start <= place < end for place in columns)
