"""Result tile."""


def test_tiles_and_command_line_have_equal_content(opened, until):
    page = opened("substructuring/cs1", "Explore")
    until(page, "document.querySelector('#tile-critical').textContent.includes('6.77 ms')")
    until(page, "document.querySelector('#tile-stable').className.includes('good')")
