"""A click into a plot goes to that moment: the few lines of script that the page needs for it.

viser's plots tell nobody where they were pressed. So the page itself hears the click, asks the plot which moment lies
there, and types it into the box beside the scrubber, from where it comes to us as anything typed there does. It knows
three names of others (`u-over` of uPlot, `mantine-NumberInput-input` of the box, the plots that viser keeps for its
own tests); where one of them is gone a click does nothing. A drag zooms, as before.
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
    // the box takes the keys and pushes the panel to where it can be seen: give both back
    const back = () => { box.blur(); for (const [part, top] of pushed) part.scrollTop = top; };
    back();
    requestAnimationFrame(back);
    setTimeout(back, 80);
  });
}
"""


def heard() -> str:
    """An element that lets a page hear clicks: an image of nothing, whose failure runs the script."""
    return f'<img src="data:," alt="" style="display: none" onerror="{escape(SCRIPT, quote=True)}">'
