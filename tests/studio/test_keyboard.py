"""Keyboard, names, outlines and contrast of every tab, as a browser has them."""

import pytest

pytestmark = pytest.mark.slow
TABS = ("Open", "Model", "Explore", "Run", "Export")
SIZES = ((1280, 720), (390, 844))
CONTROLS = """() => {
  const selector = "button, input, select, textarea, summary, a[href], [tabindex='0'], .cm-content";
  const shown = (e) => e.checkVisibility({ visibilityProperty: true }) && e.getClientRects().length
    && getComputedStyle(e).pointerEvents !== "none" && !e.disabled && e.tabIndex >= 0 && !e.closest("iframe");
  document.querySelectorAll("[data-control]").forEach((e) => delete e.dataset.control);
  const all = [...document.querySelectorAll(selector)].filter(shown);
  all.forEach((e, i) => { e.dataset.control = i; });
  return all.length;
}"""
FOCUSED = """() => {
  const e = document.activeElement;
  if (!e || e === document.body) return null;
  const frame = e.closest(".q-field__control, .cm-editor") || e;
  const outline = [e, frame].some((one) => {
    const style = getComputedStyle(one);
    return (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2)
      || /(^|\\s)3px/.test(style.boxShadow);
  });
  const by = (e.getAttribute("aria-labelledby") || "").split(" ").map((id) => document.getElementById(id)?.textContent);
  const label = e.labels?.[0]?.textContent || e.closest("label")?.textContent;
  const name = e.getAttribute("aria-label") || by.join("") || label || e.textContent || e.title || "";
  return { number: e.dataset.control ?? null, outline, name: name.trim(), html: e.outerHTML.slice(0, 160) };
}"""
CONTRAST = """() => {
  const parse = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
  const luminance = ([r, g, b]) => {
    const [R, G, B] = [r, g, b].map((c) => c / 255).map((c) => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * R + 0.7152 * G + 0.0722 * B;
  };
  const behind = (e) => {
    for (; e; e = e.parentElement) {
      const colour = parse(getComputedStyle(e).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const found = {};
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || !e.checkVisibility({ visibilityProperty: true })) continue;
    if (e.closest("script, style, .disabled, [disabled]") || !e.getClientRects().length) continue;
    const style = getComputedStyle(e), inSvg = e instanceof SVGElement;
    const front = parse(inSvg ? style.fill : style.color), back = behind(inSvg ? e.ownerSVGElement.parentElement : e);
    const [a, b] = [luminance(front), luminance(back)].sort((x, y) => y - x), ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) found[`${e.tagName}.${e.className?.baseVal ?? e.className}`] =
      [Math.round(100 * ratio) / 100, walker.currentNode.textContent.trim().slice(0, 40)];
  }
  return found;
}"""


@pytest.mark.parametrize("tab", TABS)
def test_tab_reaches_and_leaves_every_control_each_with_a_name_and_an_outline(opened, tab):
    page = opened("substructuring/cs1", tab)
    page.wait_for_timeout(1000)  # what is drawn after the tab
    count = page.evaluate(CONTROLS)
    assert count >= 4
    page.evaluate("document.activeElement?.blur(); scrollTo(0, 0)")
    seen, faults = set(), []
    for _ in range(2 * count + 20):
        page.keyboard.press("Tab")
        focused = page.evaluate(FOCUSED)
        if focused is None:
            if seen:
                break
            continue
        if focused["number"] in seen:
            break
        seen.add(focused["number"])
        faults += [focused["html"]] if not (focused["outline"] and focused["name"]) else []
    missed = page.evaluate(
        "seen => [...document.querySelectorAll('[data-control]')].filter(e => !seen.includes(e.dataset.control)"
        " && e.getAttribute('role') !== 'tab').map(e => e.outerHTML.slice(0, 160))",
        sorted(filter(None, seen)),
    )
    assert faults == []
    assert missed == []


@pytest.mark.parametrize("tab", TABS)
def test_text_has_a_contrast_of_at_least_four_and_a_half_in_both_shades(opened, until, tab):
    page = opened("substructuring/cs1", tab)
    page.wait_for_timeout(500)
    for _ in range(2):
        before = page.locator("#theme").inner_text()
        assert page.evaluate(CONTRAST) == {}, before
        page.locator("#theme").click()
        until(page, "before => document.querySelector('#theme').innerText !== before", before)
        page.wait_for_timeout(500)


@pytest.mark.parametrize("tab", TABS)
def test_no_tab_is_wider_than_the_window(opened, tab):
    page = opened("substructuring/cs1", tab)
    before = page.viewport_size
    try:
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            page.wait_for_timeout(300)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (tab, width)
            assert page.locator("#tab-" + tab.lower()).bounding_box()["width"] <= width
    finally:
        page.set_viewport_size(before)


def test_space_and_enter_open_a_study_and_select_a_block(opened, until):
    for key in ("Enter", " "):
        page = opened("substructuring/cs1", "Open")
        study = page.locator("[data-study=docking]")
        study.focus()
        study.press(key)
        page.locator("[data-test='docking/impact-1dof']").wait_for()
        page.locator("[data-study=capture]").click()
        page.locator(".q-tab", has_text="Model").click()
        part = page.locator("#loop g.part[data-path='numerical']")
        part.focus()
        part.press(key)
        until(page, "document.querySelector('[data-block]').dataset.block === 'numerical'")
        until(page, "document.activeElement.dataset.path === 'numerical'")  # one goes on from there
        page.keyboard.press("Tab")
        page.keyboard.press(key)
        until(page, "document.querySelector('[data-block]').dataset.block !== 'numerical'")


def test_a_slider_says_its_value_with_its_unit(opened, until):
    page = opened("substructuring/cs1", "Explore")
    slider = page.locator("[data-slider='rig.actuator.delay'] input[type=range]")
    assert slider.get_attribute("aria-valuetext") == "3 ms"
    slider.focus()
    slider.press("ArrowRight")
    control = "document.querySelector(\"[data-slider='rig.actuator.delay'] input\")"
    until(page, f"{control}.getAttribute('aria-valuetext') !== '3 ms'")
    assert slider.get_attribute("aria-valuetext").endswith(" ms")
