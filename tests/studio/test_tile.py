"""Result tile."""


def test_tiles_say_what_the_command_line_says(opened, until):
    page = opened("substructuring/cs1", "Explore")
    until(page, "document.querySelector('#tile-critical').textContent.includes('6.77 ms')")
    until(page, "document.querySelector('#tile-stable').className.includes('good')")
