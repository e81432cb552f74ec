"""The Jinja environment of chat templates, as model servers set it up."""

from __future__ import annotations

import json
import time

import jinja2
from jinja2 import nodes
from jinja2.ext import Extension
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment


def chat_environment() -> ImmutableSandboxedEnvironment:
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[_Generation, "jinja2.ext.loopcontrols"]
    )
    environment.filters["tojson"] = _to_json
    environment.globals["raise_exception"] = _raise
    environment.globals["strftime_now"] = time.strftime
    return environment


def _to_json(
    value: object,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    return json.dumps(
        value,
        ensure_ascii=ensure_ascii,
        indent=indent,
        separators=separators,
        sort_keys=sort_keys,
    )


def _raise(message: str) -> None:
    raise jinja2.TemplateError(message)


class _Generation(Extension):
    """`{% generation %}` marks what a trainer learns from; here it only bounds names."""

    tags = {"generation"}

    def parse(self, parser: Parser) -> nodes.Node:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.Scope(body, lineno=line)


def wants_parts(tree: nodes.Template) -> bool:
    """Whether the template walks over the parts of a content; such a one is given lists."""
    names = {"content"}
    for call in tree.find_all(nodes.Call):
        given = [(str(n), value) for n, value in enumerate(call.args)]
        given += [(k.key, k.value) for k in call.kwargs]
        for macro in tree.find_all(nodes.Macro):
            if isinstance(call.node, nodes.Name) and call.node.name == macro.name:
                known = {str(n): arg.name for n, arg in enumerate(macro.args)}
                names |= {known.get(k, k) for k, v in given if _is_content(v, set())}
    return any(_is_content(loop.iter, names) for loop in tree.find_all(nodes.For))


def _is_content(node: nodes.Node | None, names: set[str]) -> bool:
    while isinstance(node, nodes.Filter | nodes.Test):
        node = node.node
    if isinstance(node, nodes.Getitem):
        return isinstance(node.arg, nodes.Const) and node.arg.value == "content"
    if isinstance(node, nodes.Getattr):
        return node.attr == "content"
    return isinstance(node, nodes.Name) and node.name in names
