"""Script for clicks on plots; its effect is tested with the page."""

from html.parser import HTMLParser

from dovetail.view.plot_clicks import SCRIPT, click_listener


class Images(HTMLParser):
    """What images a text has."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))


def test_the_element_contains_its_script_and_loads_nothing():
    page = Images()
    page.feed(click_listener())
    ((tag, attributes),) = page.found
    assert tag == "img"
    assert attributes["onerror"] == SCRIPT
    assert attributes["src"].startswith("data:")
