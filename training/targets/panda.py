"""Panda files that the package ``onpanda`` reads; what they cannot hold goes under ``stet``."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

from django.utils.translation import gettext as _

from stet.traces.formats.base import BadRow
from stet.traces.formats.panda import parse_panda
from stet.traces.formats.panda_hashes import pack_message, protect, reference
from stet.traces.formats.panda_tree import panda_tree

from .panda_beside import beside, panda_to_export
from .panda_description import Chosen, NotExportable, PandaExport, PandaVersion, Rejected
from .panda_plan import plan
from .panda_planned import Planned, common_length

__all__ = [
    "Chosen",
    "NotExportable",
    "PandaExport",
    "PandaVersion",
    "Rejected",
    "dialogs_to_panda",
    "panda_to_export",
]


def dialogs_to_panda(export: PandaExport) -> dict[str, Any]:
    """The document of one panda file, ready for JSON; raises NotExportable with the reason.

    Abandoned versions whose pair would teach what nobody judged (an unfinished beginning of the
    good answer, the same text) go to ``deleted_dialogs``, with the reason under ``stet``.
    """
    planned = plan(export)
    own = [one for one in planned if one.version.raw is None]
    document: dict[str, Any] = {
        "version": "2.0",
        "uuid": export.uuid,
        "update_time": export.update_time,
        **deepcopy(export.extra),
        "dialogs": {},
        "hash_map": deepcopy(export.hash_map),
        "deleted_dialogs": deepcopy(export.deleted),
    }
    document["version"] = str(document["version"])
    if export.uuid is None:
        del document["uuid"]
    numbers = {one.number for one in planned if one.messages and not one.set_aside}
    newest = max(numbers, default=0)
    for one in planned:
        raw = one.version.raw
        if raw is None:
            dialog = _dialog(one, export, document["hash_map"])
        else:
            dialog = _as_it_came(raw, one.is_good, by_default=one.number == newest)
            _keep_lookalikes(dialog, document["hash_map"])
        document["dialogs" if one.number in numbers else "deleted_dialogs"][str(one.number)] = (
            dialog
        )
    if own or export.stet:
        document["stet"] = beside(export, own, document["hash_map"])
    _check(document)
    return document


def _check(document: dict[str, Any]) -> None:
    try:
        json.dumps(document, ensure_ascii=False, allow_nan=False).encode()
        good = panda_tree(parse_panda(document)).good if document["dialogs"] else []
    except (ValueError, TypeError) as error:
        fault = {"fault": str(error)[:200]}
        raise NotExportable(_("A value has no form in JSON: %(fault)s.") % fault) from error
    except BadRow as error:
        raise NotExportable(error.reason) from error
    if not good:
        raise NotExportable(_("No version is good, and a panda file needs one that is."))


def _dialog(one: Planned, export: PandaExport, hash_map: dict[str, Any]) -> dict[str, Any]:
    messages = [dict(message) for message in one.messages]
    last = messages[-1]
    if one.version.finish_reason is not None:
        last["finish_reason"] = one.version.finish_reason
    if last.get("content") is None:
        # The package cannot read an answer without content.
        last["content"] = ""
    dialog: dict[str, Any] = {
        "messages": [pack_message(protect(message, hash_map), hash_map) for message in messages],
        "operations": [protect(_operation(one), hash_map)],
        "annotate": {"is_good": one.is_good},
    }
    tools = one.version.tools if one.version.tools is not None else export.tools
    if tools:
        dialog["tools"] = protect(tools, hash_map)
    return dialog


def _operation(one: Planned) -> dict[str, Any]:
    version = one.version
    before = one.anchor or one.parent
    operation: dict[str, Any] = {
        "parent": str(before.number if before else one.number),
        "operator": version.operation,
        "on_policy": version.on_policy,
        **_changes(one, before),
    }
    if version.operation == "generate_new" or one.alone:
        operation["is_new_generated"] = True
    if version.time_ms is not None:
        operation["time"] = version.time_ms
    if version.chat_config is not None:
        operation["chat_config"] = version.chat_config
    if version.chosen is not None:
        operation["continue_with_chosen"] = _chosen(version.chosen)
    if version.typed is not None:
        operation["continue_with_input"] = {"input_patch": version.typed}
    if version.rejected is not None:
        operation["rejected_token"] = _rejected(version.rejected)
    return operation


def _changes(one: Planned, before: Planned | None) -> dict[str, Any]:
    """How the answer differs from that of the version it came from, in the words of the format."""
    same_prompt = before is not None and before.prompt == one.prompt
    text, earlier = one.text, before.text if before else None
    common = -1
    if before is None:
        kind = "no_response"
    elif not same_prompt:
        kind = "delete_response"
    elif text is None or earlier is None:
        kind = "bifurcation"
    else:
        common = common_length(text, earlier)
        kind = "truncated" if common == len(text) else "bifurcation"
        kind = "continued" if common == len(earlier) else kind
        kind = "same" if text == earlier else kind
    given = one.version.common_prefix_length
    return {
        "is_prompt_modified": before is not None and not same_prompt and not one.alone,
        "is_response_modified": kind not in ("no_response", "same"),
        "response_modified_type": kind,
        "common_prefix_length": common if given is None else given,
    }


def _chosen(chosen: Chosen) -> dict[str, Any]:
    if chosen.token is None:
        return {"finish_reason": "stop"}
    told = {"token": chosen.token, "logprob": chosen.logprob, "bytes": chosen.bytes}
    return {key: value for key, value in told.items() if value is not None}


def _rejected(rejected: Rejected) -> dict[str, Any]:
    token: dict[str, Any] = {"token": rejected.token}
    if rejected.logprob is not None:
        token["logprob"] = rejected.logprob
    return {
        "delta": {"content": rejected.token},
        "tokenIndex": rejected.index,
        "unicode_start_index": rejected.unicode_start_index,
        "logprobs": {"content": [token]},
    }


def _as_it_came(raw: dict[str, Any], is_good: bool, *, by_default: bool) -> dict[str, Any]:
    """A dialog of a file without the nulls that stop the package.

    Goodness that is left open is written out where the package's default would be another.
    """
    dialog = deepcopy(raw)
    for key in ("annotate", "operations"):
        if key in dialog and dialog[key] is None:
            del dialog[key]
    for operation in dialog.get("operations", []):
        if "parent" in operation and operation["parent"] is None:
            del operation["parent"]
    annotate = dialog.get("annotate", {})
    answered = bool(dialog["messages"]) and dialog["messages"][-1]["role"] == "assistant"
    if answered and annotate.get("is_good") is None and is_good != by_default:
        dialog["annotate"] = {**annotate, "is_good": is_good}
    return dialog


def _keep_lookalikes(value: Any, hash_map: dict[str, Any]) -> None:
    """Lets a text of a file that only looks like a reference refer to itself."""
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            _keep_lookalikes(inner, hash_map)
    name = reference(value) if isinstance(value, str) else None
    if name is not None:
        hash_map.setdefault(name, value)
