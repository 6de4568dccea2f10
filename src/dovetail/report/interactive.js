// 3-D playback of a run: bodies in WebGL, plots on canvases, one clock and one cursor. No external resources.
"use strict";
(() => {
const told = JSON.parse(document.getElementById("playback").textContent);
const root = document.getElementById("player");
const KINDS = { float32: Float32Array, float64: Float64Array, uint32: Uint32Array };
const read = (a) => new KINDS[a.kind](Uint8Array.from(atob(a.data), (c) => c.charCodeAt(0)).buffer);
const track = (t) => { const data = read(t); return (k) => data.subarray(Math.min(k, t.rows - 1) * t.wide, (Math.min(k, t.rows - 1) + 1) * t.wide); };
const make = (tag, name, into) => { const e = document.createElement(tag); e.className = name; into.append(e); return e; };

// ---- the clock
const times = read(told.times), first = times[0], last = times[times.length - 1];
const SPEEDS = [0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];
let now = first, playing = false, speed = 1, before = 0;
for (const s of SPEEDS) if (Math.abs(Math.log((last - first) / 8 / s)) < Math.abs(Math.log((last - first) / 8 / speed))) speed = s;
const frame = () => { let a = 0, b = times.length - 1; while (a < b) { const m = (a + b + 1) >> 1; if (times[m] <= now + 1e-9) a = m; else b = m - 1; } return a; };
function go(t) { now = Math.min(Math.max(t, first), last); ask(); }
function play(on) { if (on && now >= last) now = first; playing = on; before = performance.now(); ask(); }

// ---- elements of the page
const stage = make("div", "player-stage", root);
const [above, below] = told.behind.map((c) => `rgb(${c.join()})`);
stage.style.background = `linear-gradient(${above}, ${below})`;
const canvas = make("canvas", "", stage), words = make("div", "player-words", stage);
const row = make("div", "player-row", root);
const button = (text, act) => { const b = make("button", "", row); b.type = "button"; b.textContent = text; b.onclick = () => act(b); return b; };
const toggle = button("Play", () => play(!playing));
const slider = make("input", "", row);
Object.assign(slider, { type: "range", min: first, max: last, step: "any", value: first });
slider.setAttribute("aria-label", "time");
slider.oninput = () => { playing = false; go(Number(slider.value)); };
const choose = make("select", "", row);
choose.setAttribute("aria-label", "speed");
for (const s of SPEEDS) { const o = make("option", "", choose); o.value = s; o.textContent = `${s} ×`; o.selected = s === speed; }
choose.onchange = () => { speed = Number(choose.value); };
for (const name of Object.keys(told.views)) button(name, () => look(name));
const clock = make("p", "player-clock", root);
const hint = make("p", "player-hint", root);
hint.textContent = "3-D view: drag to rotate, wheel to zoom. Plot: click to set the time, drag to zoom, double click to reset. Space: play/pause; arrow keys: step.";

// ---- vectors and quaternions
const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]], add = (a, b, s = 1) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2], size = (a) => Math.hypot(...a);
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => { const n = size(a) || 1; return [a[0] / n, a[1] / n, a[2] / n]; };
function placed(q, p, s) { // columns of the matrix of a pose: rotation by a quaternion, scale, translation
  const [w, x, y, z] = q;
  return new Float32Array([(1 - 2 * (y * y + z * z)) * s[0], 2 * (x * y + w * z) * s[0], 2 * (x * z - w * y) * s[0], 0,
    2 * (x * y - w * z) * s[1], (1 - 2 * (x * x + z * z)) * s[1], 2 * (y * z + w * x) * s[1], 0,
    2 * (x * z + w * y) * s[2], 2 * (y * z - w * x) * s[2], (1 - 2 * (x * x + y * y)) * s[2], 0, p[0], p[1], p[2], 1]);
}
function along(d) { // quaternion from x to a direction
  const q = d[0] < -0.999999 ? [0, 0, 0, 1] : [1 + d[0], 0, -d[2], d[1]], n = Math.hypot(...q);
  return q.map((v) => v / n);
}

// ---- camera
const focus = told.focus && track(told.focus);
let view = null, away = [0, 0, 0], target = [0, 0, 0];
function look(name) { view = told.views[name]; target = view.target; away = sub(view.eye, view.target); ask(); }
const aim = () => (view.along && focus ? Array.from(focus(frame())) : target);
let held = null;
stage.addEventListener("pointerdown", (e) => { held = [e.clientX, e.clientY]; stage.setPointerCapture(e.pointerId); });
stage.addEventListener("pointerup", () => { held = null; });
stage.addEventListener("pointermove", (e) => {
  if (!held) return;
  const far = size(away), up = told.up, turn = -(e.clientX - held[0]) / 150, tilt = (e.clientY - held[1]) / 150;
  held = [e.clientX, e.clientY];
  const high = dot(away, up) / far, flat = unit(add(away, up, -dot(away, up))), side = cross(up, flat);
  const angle = Math.min(Math.max(Math.asin(Math.max(-1, Math.min(1, high))) + tilt, -1.5), 1.5);
  const way = add(flat.map((v) => v * Math.cos(turn)), side, Math.sin(turn));
  away = add(way.map((v) => v * Math.cos(angle) * far), up, Math.sin(angle) * far);
  ask();
});
stage.addEventListener("wheel", (e) => { e.preventDefault(); const s = Math.exp(e.deltaY / 800); away = away.map((v) => v * s); ask(); }, { passive: false });

// ---- bodies
const gl = canvas.getContext("webgl2", { antialias: true });
if (!gl) { words.textContent = "No WebGL in this browser: only the plots are available."; }
let program, spots = {}, bodies = [], tubes = [], lines = [], arrows = [], rod, tip, ball;
const shader = (kind, text) => { const s = gl.createShader(kind); gl.shaderSource(s, text); gl.compileShader(s); gl.attachShader(program, s); };
function body(mesh) {
  const v = read(mesh.corners), f = read(mesh.faces), n = new Float32Array(v.length);
  for (let i = 0; i < f.length; i += 3) {
    const [a, b, c] = [0, 1, 2].map((j) => [v[3 * f[i + j]], v[3 * f[i + j] + 1], v[3 * f[i + j] + 2]]);
    const m = cross(sub(b, a), sub(c, a));
    for (let j = 0; j < 3; j++) for (let d = 0; d < 3; d++) n[3 * f[i + j] + d] += m[d];
  }
  const vao = gl.createVertexArray();
  gl.bindVertexArray(vao);
  [v, n].forEach((values, i) => {
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(i);
    gl.vertexAttribPointer(i, 3, gl.FLOAT, false, 0, 0);
  });
  gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, f, gl.STATIC_DRAW);
  gl.bindVertexArray(null);
  return { vao, count: f.length };
}
if (gl) {
  program = gl.createProgram();
  shader(gl.VERTEX_SHADER, `#version 300 es
layout(location=0) in vec3 p; layout(location=1) in vec3 n; uniform mat4 model, seen; out vec3 at, normal;
void main() { vec4 w = model * vec4(p, 1.0); at = w.xyz; normal = mat3(model) * n; gl_Position = seen * w; }`);
  shader(gl.FRAGMENT_SHADER, `#version 300 es
precision highp float; in vec3 at, normal; uniform vec3 eye, sun, up; uniform vec4 colour; uniform float lit; out vec4 shown;
void main() { vec3 n = normalize(normal + 1e-12); if (dot(n, eye - at) < 0.0) n = -n;
  float light = mix(1.0, 0.36 + 0.13 * (1.0 + dot(n, up)) + 0.5 * max(dot(n, sun), 0.0), lit);
  shown = vec4(min(colour.rgb * light, 1.0) * colour.a, colour.a); }`);
  gl.linkProgram(program);
  gl.useProgram(program);
  for (const name of ["model", "seen", "eye", "sun", "up", "colour", "lit"]) spots[name] = gl.getUniformLocation(program, name);
  bodies = told.solids.map((s) => ({ ...s, mesh: body(s.mesh), pose: track(s.pose) }));
  bodies.sort((a, b) => b.opacity - a.opacity);
  rod = body(told.link);
  tip = body(told.head);
  ball = body(told.dot);
  tubes = told.tubes.map((t) => ({ ...t, each: t.each.map(track) }));
  arrows = told.arrows.map((a) => ({ ...a, at: track(a.at), vector: track(a.vector), contact: a.contact && track(a.contact), word: make("span", "", words) }));
  lines = told.lines.map((l) => {
    const vao = gl.createVertexArray(), buffer = gl.createBuffer();
    gl.bindVertexArray(vao);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
    gl.bindVertexArray(null);
    return { ...l, vao, buffer, points: track(l.points) };
  });
}
const marks = gl ? told.marks.map(([text, place]) => { const word = make("span", "", words); word.textContent = text; return { word, place }; }) : [];
function paint(mesh, model, colour, opacity = 1) {
  gl.uniformMatrix4fv(spots.model, false, model);
  gl.uniform4f(spots.colour, colour[0] / 255, colour[1] / 255, colour[2] / 255, opacity);
  gl.bindVertexArray(mesh.vao);
  gl.drawElements(gl.TRIANGLES, mesh.count, gl.UNSIGNED_INT, 0);
}
function put(word, at, seen, wide, tall) {
  const [x, y, , w] = [0, 1, 2, 3].map((i) => seen[i] * at[0] + seen[4 + i] * at[1] + seen[8 + i] * at[2] + seen[12 + i]);
  word.hidden = w <= 0;
  word.style.transform = `translate(-50%, -110%) translate(${(0.5 + 0.5 * x / w) * wide}px, ${(0.5 - 0.5 * y / w) * tall}px)`;
}
function picture() {
  if (!gl) return;
  const k = frame(), wide = stage.clientWidth, tall = stage.clientHeight, dense = Math.min(window.devicePixelRatio || 1, 2);
  if (canvas.width !== Math.round(wide * dense) || canvas.height !== Math.round(tall * dense)) { canvas.width = Math.round(wide * dense); canvas.height = Math.round(tall * dense); }
  gl.viewport(0, 0, canvas.width, canvas.height);
  gl.clearColor(0, 0, 0, 0);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  gl.enable(gl.DEPTH_TEST);
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  const at = aim(), eye = add(at, away), far = size(away), z = unit(away), x = unit(cross(told.up, z)), y = cross(z, x);
  const f = 1 / Math.tan((told.opening * Math.PI) / 360), near = 0.02 * far, end = 500 * far, a = f * tall / wide, c = (end + near) / (near - end);
  const rows = [[a * x[0], a * x[1], a * x[2], -a * dot(x, eye)], [f * y[0], f * y[1], f * y[2], -f * dot(y, eye)],
    [c * z[0], c * z[1], c * z[2], -c * dot(z, eye) + 2 * end * near / (near - end)], [-z[0], -z[1], -z[2], dot(z, eye)]];
  const seen = new Float32Array(16);
  rows.forEach((r, i) => r.forEach((v, j) => { seen[4 * j + i] = v; }));
  gl.uniformMatrix4fv(spots.seen, false, seen);
  gl.uniform3fv(spots.eye, eye);
  gl.uniform3fv(spots.up, told.up);
  gl.uniform3fv(spots.sun, unit(add(add(told.up, x, -0.35), z, 0.45)));
  gl.uniform1f(spots.lit, 1);
  for (const t of tubes) {
    const [q, p, s] = t.each.map((of) => of(k));
    for (let i = 0; i < p.length / 3; i++) paint(rod, placed(q.subarray(4 * i, 4 * i + 4), p.subarray(3 * i, 3 * i + 3), s.subarray(3 * i, 3 * i + 3)), t.colour);
  }
  const head = 0.03 * far;
  for (const arrow of arrows) {
    const force = Array.from(arrow.vector(k)), foot = Array.from(arrow.at(k)), n = size(force), way = unit(force);
    const long = Math.max(arrow.length * n, head), acts = arrow.length * n > told.least * head;
    arrow.word.hidden = !acts;
    if (!acts) continue;
    paint(rod, placed(along(way), foot, [Math.max(long - head, 1e-6), 0.2 * head, 0.2 * head]), arrow.colour);
    paint(tip, placed(along(way), add(foot, way, long - head), [head, head, head]), arrow.colour);
    if (arrow.contact) paint(ball, placed([1, 0, 0, 0], Array.from(arrow.contact(k)), [head, head, head]), arrow.colour);
    arrow.word.textContent = arrow.words[k];
    put(arrow.word, add(foot, way, long), seen, wide, tall);
  }
  gl.uniform1f(spots.lit, 0);
  for (const line of lines) {
    gl.bindVertexArray(line.vao);
    gl.bindBuffer(gl.ARRAY_BUFFER, line.buffer);
    const points = line.points(k);
    gl.bufferData(gl.ARRAY_BUFFER, points, gl.DYNAMIC_DRAW);
    gl.uniformMatrix4fv(spots.model, false, placed([1, 0, 0, 0], [0, 0, 0], [1, 1, 1]));
    gl.uniform4f(spots.colour, line.colour[0] / 255, line.colour[1] / 255, line.colour[2] / 255, 1);
    gl.drawArrays(gl.LINES, 0, points.length / 3);
  }
  gl.uniform1f(spots.lit, 1);
  for (const s of bodies) { // translucent bodies are drawn last
    const p = s.pose(k);
    gl.depthMask(s.opacity >= 1);
    paint(s.mesh, placed(p.subarray(0, 4), p.subarray(4, 7), [p[7], 1, 1]), s.colour, s.opacity);
  }
  gl.depthMask(true);
  for (const { word, place } of marks) put(word, place, seen, wide, tall);
}

// ---- plots
const LEFT = 64, RIGHT = 10, TOP = 6, BOTTOM = 22;
let shown = [first, last], hover = null, drag = null;
const plots = told.plots.map((p) => {
  const box = make("figure", "player-plot", root), caption = make("figcaption", "", box), c = make("canvas", "", box);
  const plot = { ...p, x: read(p.x), ys: p.ys.map(read), caption, canvas: c };
  const time = (e) => { const r = c.getBoundingClientRect(); return shown[0] + (shown[1] - shown[0]) * (e.clientX - r.left - LEFT) / (r.width - LEFT - RIGHT); };
  c.onpointermove = (e) => { hover = time(e); if (drag) drag[1] = hover; ask(); };
  c.onpointerleave = () => { hover = null; ask(); };
  c.onpointerdown = (e) => { drag = [time(e), time(e), e.clientX]; c.setPointerCapture(e.pointerId); };
  c.onpointerup = (e) => {
    if (!drag) return;
    const [a, b, x] = drag;
    drag = null;
    if (Math.abs(e.clientX - x) < 4) { playing = false; go(b); }
    else shown = [Math.max(Math.min(a, b), first), Math.min(Math.max(a, b), last)];
    ask();
  };
  c.ondblclick = () => { shown = [first, last]; ask(); };
  return plot;
});
const index = (x, t) => { let a = 0, b = x.length; while (a < b) { const m = (a + b) >> 1; if (x[m] < t) a = m + 1; else b = m; } return a; };
const value = (x, y, t) => { const i = index(x, t); if (i <= 0) return y[0]; if (i >= x.length) return y[y.length - 1]; const s = (t - x[i - 1]) / (x[i] - x[i - 1] || 1); return y[i - 1] + s * (y[i] - y[i - 1]); };
const nice = (span, n) => { const raw = span / n, ten = 10 ** Math.floor(Math.log10(raw)); return ten * [1, 2, 5, 10].find((s) => s * ten >= raw * 0.999); };
const text = (v, step) => (Math.abs(v) < step * 1e-6 ? "0" : Math.abs(v) >= 1e5 || step < 1e-5 ? v.toExponential(2) : v.toFixed(Math.max(0, Math.min(6, -Math.floor(Math.log10(step) + 1e-9)))));
function chart(plot) {
  const c = plot.canvas, wide = c.clientWidth, tall = c.clientHeight, dense = window.devicePixelRatio || 1, style = getComputedStyle(root);
  if (!wide) return;
  c.width = Math.round(wide * dense); c.height = Math.round(tall * dense);
  const g = c.getContext("2d"), from = Math.max(index(plot.x, shown[0]) - 1, 0), to = Math.min(index(plot.x, shown[1]) + 1, plot.x.length);
  g.scale(dense, dense);
  let low = Infinity, high = -Infinity;
  for (const y of plot.ys) for (let i = from; i < to; i++) { if (y[i] < low) low = y[i]; if (y[i] > high) high = y[i]; }
  c.dataset.low = low; c.dataset.high = high; c.dataset.from = shown[0]; c.dataset.to = shown[1];
  const pad = 0.06 * (high - low || Math.abs(high) || 1), bottom = low - pad, top = high + pad;
  const X = (t) => LEFT + (t - shown[0]) / (shown[1] - shown[0] || 1) * (wide - LEFT - RIGHT), Y = (v) => TOP + (top - v) / (top - bottom) * (tall - TOP - BOTTOM);
  g.font = "12px system-ui, sans-serif"; g.fillStyle = style.getPropertyValue("--quiet"); g.strokeStyle = style.getPropertyValue("--grid"); g.lineWidth = 1;
  const sx = nice(shown[1] - shown[0] || 1, Math.max(wide / 110, 2)), sy = nice(top - bottom, 4);
  g.beginPath();
  g.textAlign = "center";
  for (let t = Math.ceil(shown[0] / sx) * sx; t <= shown[1] + 1e-9 * sx; t += sx) { g.moveTo(X(t), TOP); g.lineTo(X(t), tall - BOTTOM); g.fillText(text(t, sx), X(t), tall - 6); }
  g.textAlign = "right";
  for (let v = Math.ceil(bottom / sy) * sy; v <= top; v += sy) { g.moveTo(LEFT, Y(v)); g.lineTo(wide - RIGHT, Y(v)); g.fillText(text(v, sy), LEFT - 6, Y(v) + 4); }
  g.stroke();
  g.save();
  g.beginPath(); g.rect(LEFT, 0, wide - LEFT - RIGHT, tall - BOTTOM + 2); g.clip();
  plot.ys.forEach((y, n) => { // minimum and maximum of every pixel, so that no peak is omitted
    g.strokeStyle = plot.colours[n]; g.lineWidth = 1.3; g.beginPath();
    for (let i = from; i < to;) {
      const px = Math.round(X(plot.x[i]) * dense);
      let a = y[i], b = y[i], z = y[i], j = i;
      while (j < to && Math.round(X(plot.x[j]) * dense) === px) { z = y[j]; if (z < a) a = z; if (z > b) b = z; j++; }
      const at = px / dense;
      g.lineTo(at, Y(y[i]));
      if (j > i + 1) { g.lineTo(at, Y(a)); g.lineTo(at, Y(b)); g.lineTo(at, Y(z)); }
      i = j;
    }
    g.stroke();
  });
  const bar = (t, colour) => { g.strokeStyle = colour; g.lineWidth = 1.5; g.beginPath(); g.moveTo(X(t), TOP); g.lineTo(X(t), tall - BOTTOM); g.stroke(); };
  for (const [t] of told.events) { g.globalAlpha = 0.5; bar(t, style.getPropertyValue("--faint")); g.globalAlpha = 1; }
  bar(now, "#e5383b");
  if (hover !== null) bar(hover, style.getPropertyValue("--ink"));
  if (drag && Math.abs(X(drag[1]) - X(drag[0])) > 4) { g.globalAlpha = 0.15; g.fillRect(X(drag[0]), TOP, X(drag[1]) - X(drag[0]), tall - TOP - BOTTOM); g.globalAlpha = 1; }
  g.restore();
  const t = hover === null ? now : hover;
  c.dataset.cursor = t;
  plot.caption.textContent = "";
  make("b", "", plot.caption).textContent = plot.title;
  plot.names.forEach((name, n) => { const s = make("span", "", plot.caption); s.style.borderColor = plot.colours[n]; const v = value(plot.x, plot.ys[n], t); s.textContent = `${name} ${Math.abs(v) < sy * 1e-6 ? 0 : Number(v.toPrecision(4))}`; });
}

// ---- draw a frame
let asked = false;
function ask() { if (!asked) { asked = true; requestAnimationFrame(draw); } }
function draw(stamp) {
  asked = false;
  if (playing) {
    now = Math.min(now + speed * Math.max(stamp - before, 0) / 1000, last);
    before = Math.max(stamp, before);
    playing = now < last;
    ask();
  }
  toggle.textContent = playing ? "Pause" : "Play";
  slider.value = now;
  root.dataset.now = now;
  clock.textContent = `t = ${now.toFixed(4)} s${told.notes[frame()] ? "; " + told.notes[frame()] : ""}`;
  picture();
  plots.forEach(chart);
}
document.addEventListener("keydown", (e) => {
  if (e.target.closest("input, select, textarea") || e.ctrlKey || e.metaKey || e.altKey) return;
  const step = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
  if (e.key === " ") play(!playing); else if (step) { playing = false; go(now + step * (last - first) / 100); } else return;
  e.preventDefault();
});
new ResizeObserver(ask).observe(root);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", ask);
look(Object.keys(told.views)[0]);
})();
