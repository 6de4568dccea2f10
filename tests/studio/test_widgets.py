"""Markup in texts is shown as text."""


def test_markup_in_labels_is_shown_as_text(opened):
    page = opened("substructuring/cs1")
    assert page.locator("#tab-model h2").first.inner_text() != ""
    assert page.evaluate("document.querySelectorAll('#block h2 *').length") == 0
