"""Open tab: studies, tests, files and recent runs."""


def test_every_study_has_its_picture_and_its_tests(opened, until):
    page = opened("substructuring/cs1", "Open")
    until(page, "[...document.querySelectorAll('.study img')].every(image => image.naturalWidth > 0)")
    assert page.locator(".study").count() == 5
    page.locator("[data-study=substructuring]").click()
    page.locator("[data-test='substructuring/cs1'] svg.loop").wait_for()


def test_a_missing_file_and_a_file_that_is_not_a_test_are_rejected(opened, studio, until, go):
    page = opened("substructuring/cs1", "Open")
    (studio.folder / "broken.toml").write_text("[numerical\n", "utf-8")
    for name, words in (("mine", ".toml"), ("no.toml", "no.toml")):
        go(page, "Open")
        page.locator("input[data-field=own-path]").fill(name)
        page.locator("#open-own").click()
        until(page, "words => document.querySelector('#trouble').textContent.includes(words)", words)
    go(page, "Open")
    page.locator("input[data-field=own-path]").fill("broken.toml")  # is opened, with its fault beside it
    page.locator("#open-own").click()
    until(page, "document.querySelector('#file-fault').textContent.length > 0")
