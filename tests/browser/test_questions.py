"""Questions beside the answer: by keyboard, as a draft in two tabs, and handed in."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotate.models import Draft, Submission
from annotate.services import question_save
from stet.accounts.models import User
from tests.browser.conftest import Site
from tests.browser.desk import Corrector, begin, episode_of

pytestmark = pytest.mark.browser
YES_NO = [{"value": "yes", "label": "yes"}, {"value": "no", "label": "no"}]


def asking(site: Site, page: Page) -> Corrector:
    """A desk whose project asks four questions."""
    owner = User.objects.get(memberships__project=site.project, memberships__role="owner")
    questions: list[dict[str, Any]] = [
        {"key": "ready", "kind": "single", "options": YES_NO, "required": True},
        {"key": "why", "kind": "multiple", "options": YES_NO, "required": True}
        | {"condition": {"question": "ready", "equals": "no"}},
        {"key": "quality", "kind": "scale", "min": 1, "max": 5, "hotkey": "g"},
        {"key": "note", "kind": "text"},
    ]
    for fields in questions:
        question_save(user=owner, project=site.project, label=f"{fields['key']}?", **fields)
    site.stack.task("Say something.", project=site.project, limits={"max_tokens": 20})
    desk = begin(site, page)
    desk.has_characters(5)
    desk.is_still(version=1)
    return desk


def test_questions_are_answered_by_keys_and_what_is_missing_is_led_to(
    quick_site: Site, page: Page
) -> None:
    desk = asking(quick_site, page)
    why = page.get_by_test_id("question-why")
    expect(why).to_be_hidden()
    desk.press("Control+Enter")
    ready = page.get_by_test_id("question-ready")
    expect(ready.locator(".fault")).to_have_text("Please answer this question.")
    desk.press("2", "q", "1", "2", "g", "4")
    expect(why.get_by_label("yes")).to_be_checked()
    expect(desk.saved).to_have_text("saving")
    expect(desk.saved).to_contain_text("saved ")
    draft = Draft.objects.get(episode=episode_of(page))
    assert draft.answers == {"ready": "no", "why": ["yes", "no"], "quality": 4}
    desk.press("q")
    page.keyboard.type("q1 is typed")
    desk.press("Escape", "Control+Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    if dialog.get_by_text("Submit all the same?").is_visible():
        desk.press("Tab", "Enter")
    expect(dialog).to_contain_text("Submitted.")
    handed_in = Submission.objects.get(episode=episode_of(page))
    assert handed_in.answers == {**draft.answers, "note": "q1 is typed"}
    assert handed_in.active_ms > 0


@pytest.mark.parametrize("key", ["l", "s", "f"])
def test_an_answer_of_the_last_moment_is_saved_before_work_is_put_aside(
    quick_site: Site, page: Page, key: str
) -> None:
    desk = asking(quick_site, page)
    desk.press("g", "4", key)
    if key != "l":
        page.locator("dialog[open] button[value=yes]").click()
    expect(page.get_by_test_id("done-dialog")).to_be_visible()
    expect(desk.saved).to_contain_text("saved ")
    assert Draft.objects.get(episode=episode_of(page)).answers == {"quality": 4}


def test_a_stale_draft_overwrites_nothing_and_a_submitted_answer_stays(
    quick_site: Site, page: Page
) -> None:
    desk = asking(quick_site, page)
    other = page.context.new_page()
    other.goto(page.url)
    Corrector(other).has_characters(5)
    note = other.get_by_test_id("question-note").locator("textarea")
    # What one tab saves shows in the other; then the other hears of it only by its own save.
    page.bring_to_front()
    page.get_by_test_id("question-quality").get_by_label("4").check()
    expect(other.get_by_test_id("question-quality").get_by_label("4")).to_be_checked()
    other.route("**/draft", lambda on: on.abort() if on.request.method == "GET" else on.continue_())
    page.get_by_test_id("question-note").locator("textarea").fill("from the first tab")
    expect(desk.saved).to_contain_text("saved ")
    note.fill("from the second")
    merging = other.get_by_test_id("merging")
    expect(merging).to_contain_text("from the first tab")
    expect(merging).to_contain_text("from the second")
    episode = episode_of(page)
    first = {"quality": 4, "note": "from the first tab"}
    assert Draft.objects.get(episode=episode).answers == first
    # The first tab hands it in; the second still shows both texts, and what was handed in stays.
    page.bring_to_front()
    page.get_by_test_id("question-ready").get_by_label("yes").check()
    page.get_by_test_id("pane").focus()
    desk.press("Control+Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    if dialog.get_by_text("Submit all the same?").is_visible():
        desk.press("Tab", "Enter")
    expect(dialog).to_contain_text("Submitted.")
    expect(other.get_by_test_id("say")).to_contain_text("changed in another tab")
    other.bring_to_front()
    merging.get_by_test_id("mine").click()
    expect(other.get_by_test_id("save-state")).to_contain_text("not saved")
    handed_in = Submission.objects.get(episode=episode)
    assert handed_in.answers == {"ready": "yes", **first}
    expect(note).to_have_value("from the second")


def test_a_composition_survives_five_autosaves(quick_site: Site, page: Page) -> None:
    asking(quick_site, page)
    area = page.get_by_test_id("question-note").locator("textarea")
    area.click()
    wire = page.context.new_cdp_session(page)
    said = page.expect_response
    for i, so_far in enumerate(["xiu", "xiuz", "xiuzhe", "xiuzhen", "xiuzheng"]):
        with said(lambda answer: answer.url.endswith("/draft") and answer.status == 204):
            wire.send(
                "Input.imeSetComposition",
                {"text": so_far, "selectionStart": len(so_far), "selectionEnd": len(so_far)},
            )
        expect(area).to_be_focused()
        assert area.evaluate("area => [area.value, area.selectionStart]") == [
            so_far,
            len(so_far),
        ], i
    wire.send("Input.insertText", {"text": "修正"})
    assert area.evaluate("area => [area.value, area.selectionStart]") == ["修正", 2]


def test_time_at_work_is_told_once_over_a_reload(quick_site: Site, page: Page) -> None:
    page.clock.install()
    desk = asking(quick_site, page)
    note = page.get_by_test_id("question-note").locator("textarea")
    page.clock.fast_forward(60_000)
    note.fill("after a minute")
    page.clock.run_for(1000)
    expect(desk.saved).to_contain_text("saved ")
    page.reload()
    desk.has_characters(5)
    expect(page.get_by_test_id("worktime")).to_contain_text("1:0")
    page.clock.fast_forward(30_000)
    page.get_by_test_id("pane").focus()
    desk.press("q", "1", "Control+Enter")
    page.clock.run_for(1000)
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    if dialog.get_by_text("Submit all the same?").is_visible():
        desk.press("Tab", "Enter")
        page.clock.run_for(1000)
    expect(dialog).to_contain_text("Submitted.")
    handed_in = Submission.objects.get(episode=episode_of(page))
    assert 90_000 <= handed_in.active_ms < 120_000
    assert handed_in.idle_ms == 0
