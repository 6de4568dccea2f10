"""Script of the page: a click into a plot seeks to its time.

viser reports no clicks on plots. The script listens for clicks, converts the position to a time with the plot, and
enters the time in the input field of the time slider. It uses three names of other packages: `u-over` of uPlot,
`mantine-NumberInput-input` of the field, and the plots that viser stores for its own tests. Without one of them a click
has no effect. A drag still zooms.
"""

from __future__ import annotations

from html import escape

SCRIPT = """
if (!window.dovetailClicks) {
  window.dovetailClicks = true;
  let from = 0;
  document.addEventListener('pointerdown', (e) => { from = e.clientX; }, true);
  document.addEventListener('click', (e) => {
    const over = e.target.closest && e.target.closest('.u-over');
    if (!over || Math.abs(e.clientX - from) > 4) return;
    const plots = Object.values((window.__viserTestpoints || {}).uplots || {}).map((kept) => kept.chart);
    const plot = plots.find((each) => each.over === over);
    const box = document.querySelector('.mantine-NumberInput-input');
    if (!plot || !box || plot.series[0].label !== 't [s]') return;
    const pushed = [];
    for (let part = over; part; part = part.parentElement) if (part.scrollTop) pushed.push([part, part.scrollTop]);
    const moment = plot.posToVal(e.clientX - over.getBoundingClientRect().left, 'x');
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(box, String(moment));
    box.dispatchEvent(new Event('input', {bubbles: true}));
    box.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', code: 'Enter', bubbles: true}));
    box.dispatchEvent(new FocusEvent('focusout', {bubbles: true}));
    // the input field takes the focus and scrolls the panel: restore both
    const back = () => { box.blur(); for (const [part, top] of pushed) part.scrollTop = top; };
    back();
    requestAnimationFrame(back);
    setTimeout(back, 80);
  });
}
"""


def click_listener() -> str:
    """Return an HTML element that runs the script: an empty image with an error handler."""
    return f'<img src="data:," alt="" style="display: none" onerror="{escape(SCRIPT, quote=True)}">'
