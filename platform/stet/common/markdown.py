"""Markdown that people of a project wrote, as HTML that is safe to show."""

from __future__ import annotations

from markdown_it import MarkdownIt

# No raw HTML and no images: an image would ask another server, or this one, for a file.
_markdown = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")


def markdown_html(text: str) -> str:
    """The text as HTML; links keep only harmless schemes, tags in it are shown as text."""
    return str(_markdown.render(text))
