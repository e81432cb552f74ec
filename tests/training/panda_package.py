"""What the real package makes of a panda file, as plain JSON values."""

from __future__ import annotations

import contextlib
import io
import json
from copy import deepcopy
from typing import Any

import onpanda

TOKENIZERS = {"unicode": onpanda.unicode_tokenizer, "utf8": onpanda.utf8_tokenizer}


def tree_of(document: dict[str, Any]) -> Any:
    return onpanda.PandaTree(deepcopy(document))


def view(document: dict[str, Any]) -> dict[str, Any]:
    """Trees, pairs, rows and token-level rows of both tokenizers, with and without a template."""
    tree = tree_of(document)
    template = onpanda.build_response_template({})
    seen: dict[str, Any] = {
        "tree": {
            "trees": tree.trees,
            "to_parent": tree.to_parent,
            "dense_keys": tree.dense_keys,
            "fork_pairs": tree.fork_pairs,
            "outcome_pairs": tree.outcome_pairs,
            "valid_dialog_keys": tree.valid_dialog_keys,
        },
        "legacy": tree.build_legacy_data_v1(),
    }
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        for name, tokenizer in TOKENIZERS.items():
            for mode, used in (("content_only", None), ("default_template", template)):
                for version in ("v1", "v2"):
                    build = getattr(tree, f"build_token_level_supervision_data_{version}")
                    rows = build(tokenizer=tokenizer, response_template=used)
                    seen.setdefault(f"token_level_{version}", {}).setdefault(name, {})[mode] = rows
            adapter = onpanda.FindAndReplaceCorrectionAdapter(tokenizer=tokenizer)
            seen.setdefault("far", {})[name] = tree.build_far_correction_data_v1(adapter)
    seen["printed"] = printed.getvalue()
    return json.loads(json.dumps(seen))
