"""Stability map and its draggable point."""


def test_a_map_is_drawn_and_its_point_dragged_into_the_unstable(opened, until):
    page = opened("substructuring/cs1", "Explore")
    until(page, "Number(document.querySelector('#chart-response').dataset.number) > 0")
    page.locator("#draw-map").click()
    until(page, "document.querySelector('#map-state').textContent.includes('finished')")
    canvas = page.locator("#chart-map canvas")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    start, end = (0.4, 0.7), (0.9, 0.75)  # shares of the canvas: much delay, little damping
    page.mouse.move(
        *(
            box[corner] + share * box[size]
            for corner, share, size in zip("xy", start, ("width", "height"), strict=True)
        )
    )
    page.mouse.down()
    page.mouse.move(
        *(
            box[corner] + share * box[size]
            for corner, share, size in zip("xy", end, ("width", "height"), strict=True)
        )
    )
    until(page, "document.querySelector('#tile-stable').textContent.includes('unstable')")
    page.mouse.up()
    until(page, "document.querySelector('#difference').textContent.includes('+delay')")
