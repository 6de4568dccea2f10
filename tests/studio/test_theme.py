"""Style: colours of the report, light and dark."""

import re

from dovetail.studio.theme import css, unsaved_input_script


def test_the_page_has_the_colours_of_the_report_in_light_and_dark():
    rules = css()
    light, dark = (
        re.search(r"body \{ (.*?)\}", rules, re.S)[1],
        re.search(r"body\.body--dark \{ (.*?)\}", rules, re.S)[1],
    )
    for name in ("--paper", "--ink", "--demand", "--measured", "--critical", "--good", "--bad"):
        assert name in light
        assert name in dark
    assert "svg.loop .box" in rules


def test_the_page_loads_nothing_from_other_hosts():
    assert "http" not in css().replace("http://www.w3.org", "")
    assert "fetch(" not in unsaved_input_script()
