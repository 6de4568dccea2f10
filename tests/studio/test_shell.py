"""Page frame: control lock, light and dark mode, restart of the server."""

import http.client

import pytest

from dovetail.studio.shell import unique_name


def test_connected_users_have_different_names():
    assert unique_name(None, set()) == "User 1"
    assert unique_name("User 2", {"User 1"}) == "User 2"  # the name that one had
    assert unique_name("User 2", {"User 2"}) == "User 1"  # which somebody was given meanwhile
    assert unique_name(None, {"User 1", "User 3"}) == "User 2"


def status(served, path, **fields):
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=300)
    connection.request("GET", path, headers=fields)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status


def test_the_server_refuses_a_missing_key_a_foreign_host_name_and_a_foreign_origin(studio):
    key = studio.url.partition("?")[2]
    assert status(studio, "/") == 403
    assert status(studio, "/report?folder=runs") == 403
    assert status(studio, f"/?{key}") == 302
    assert status(studio, f"/?{key}", Host=f"evil.example:{studio.port}") == 403
    assert status(studio, f"/?{key}", Origin="http://evil.example") == 403
    assert status(studio, "/_nicegui_ws/socket.io/?EIO=4&transport=polling") == 403


def test_of_two_browsers_one_has_control_and_both_show_who(opened, studio, look, until):
    first = opened("substructuring/cs1")
    second = look(studio, "Model")
    until(second, "document.querySelector('#control').textContent.includes('view only')")
    first.locator("#loop g.part[data-path='rig.actuator']").click()
    second.locator("#loop g.part[data-path='rig.actuator']").click()
    field = first.locator("input[data-value='rig.actuator.delay']")
    field.fill("4 ms")
    field.press("Enter")
    until(second, "document.querySelector('input[data-value=\"rig.actuator.delay\"]').value === '4 ms'")
    assert second.locator(".view-only").count() == 1  # its fields take no click
    second.locator("#take").click()
    until(second, "document.querySelector('#control').textContent.startsWith('You have')")
    until(first, "document.querySelector('#control').textContent.includes('view only')")
    field = second.locator("input[data-value='rig.actuator.delay']")
    field.fill("5 ms")
    field.press("Enter")
    until(first, "document.querySelector('input[data-value=\"rig.actuator.delay\"]').value === '5 ms'")


def test_the_page_follows_the_dark_mode_of_the_system_and_can_be_switched(studio, look, until):
    page = look(studio, color_scheme="dark")
    until(page, "document.body.classList.contains('body--dark')")
    page.locator("#theme").click()
    until(page, "!document.body.classList.contains('body--dark')")
    page.reload()
    until(page, "document.querySelector('#theme')?.textContent === 'Dark'")
    assert not page.evaluate("document.body.classList.contains('body--dark')")


@pytest.mark.slow
def test_a_killed_server_restores_all_typed_text(tmp_path, serve, look, until):
    served = serve(tmp_path, "substructuring/cs1")
    page = look(served, "Model")
    page.locator("#loop g.part[data-path='rig.actuator']").click()
    field = page.locator("input[data-value='rig.actuator.delay']")
    field.fill("4 ms")
    field.press("Enter")  # taken
    until(page, "document.querySelector('#test-name').textContent.includes('modified')")
    field.fill("4.25 m")  # typed half
    served.kill()
    field.fill("4.5 ms")  # typed while nobody listens
    page.evaluate("window.old = true")
    served.start()
    until(page, "!window.old")  # the page has found the new server, and is loaded anew
    until(page, "document.querySelector('input[data-value=\"rig.actuator.delay\"]')?.value === '4.5 ms'")
    until(page, "document.querySelector('#difference')?.textContent.includes('4 ms')")
    field.press("Enter")
    until(page, "document.querySelector('#difference').textContent.includes('4.5 ms')")
    page.locator(".cm-content").click()
    served.kill()
    page.keyboard.press("Control+End")
    page.keyboard.type("# a remark")
    page.evaluate("window.old = true")
    served.start()
    until(page, "!window.old")
    until(page, "document.querySelector('#difference')?.textContent.includes('# a remark')")


def test_markup_in_a_title_is_shown_as_text(studio, opened, until, go):
    file = studio.folder / "marked.toml"
    file.write_text(
        'title = "<img src=x onerror=alert(1)><b>bold</b>"\nduration = "1 s"\n'
        '[numerical]\nkind = "oscillator"\nm = "2.2 kg"\nc = "15 N s/m"\nk = "2250 N/m"\n'
        '[rig.actuator]\nkind = "delay"\ndelay = "3 ms"\n[rig.specimen]\nkind = "spring"\nk = "2250 N/m"\n'
        '[excitation]\nkind = "sine"\namplitude = "12 mm"\nfrequency = "3 Hz"\n',
        "utf-8",
    )
    page = opened("substructuring/cs1", "Open")
    page.on("dialog", lambda dialog: pytest.fail("a script of the title ran"))
    page.locator("input[data-field=own-path]").fill(str(file))
    page.locator("#open-own").click()
    until(page, "document.querySelector('#test-title').textContent.includes('<b>bold</b>')")
    go(page, "Model")
    assert page.locator("#test-title b").count() == 0
