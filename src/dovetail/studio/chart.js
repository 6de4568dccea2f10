// Curves, points or a map on a canvas. The newest picture is drawn once per frame; a picture that arrives before the
// last one was drawn replaces it, so a slow browser skips pictures but never shows old ones.
const MARGIN = { left: 62, right: 14, top: 12, bottom: 40 };
const FONT = '12px system-ui, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", Arial, sans-serif';

function colour(name) {
  if (!name) return "#888";
  return name.startsWith("#") ? name : getComputedStyle(document.body).getPropertyValue("--" + name).trim() || "#888";
}

function roundStep(span, count) {
  const raw = span / Math.max(count, 1);
  const ten = Math.pow(10, Math.floor(Math.log10(raw)));
  return ten * ([1, 2, 5, 10].find((s) => s * ten >= raw * 0.999) || 10);
}

function formatNumber(value, step) {
  if (Math.abs(value) < step * 1e-9) return "0";
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) return value.toExponential(Math.max(0, Math.min(2, Math.round(Math.log10(size / step)))));
  return value.toFixed(Math.max(0, Math.min(6, -Math.floor(Math.log10(step) + 1e-9))));
}

export default {
  template: `<div class="chart" role="img" :aria-label="label">
      <div class="chart-legend" ref="legend"></div>
      <canvas ref="canvas" :style="{height: height + 'px'}"></canvas>
      <div class="chart-note" ref="note"></div>
    </div>`,
  props: { label: String, xname: String, yname: String, height: Number, drag: Boolean, square: Boolean, start: Object },
  mounted() {
    this.picture = this.start || {};
    this.range = null;
    this.drawn = 0;
    this.hover = null;
    this.observer = new ResizeObserver(() => this.ask());
    this.observer.observe(this.$refs.canvas);
    this.theme = new MutationObserver(() => this.ask());
    this.theme.observe(document.body, { attributes: true, attributeFilter: ["class"] });
    const canvas = this.$refs.canvas;
    canvas.addEventListener("pointermove", (event) => this.moved(event));
    canvas.addEventListener("pointerleave", () => { this.hover = null; this.ask(); });
    canvas.addEventListener("pointerdown", (event) => {
      if (!this.drag || !this.frame) return;
      canvas.setPointerCapture(event.pointerId);
      this.held = true;
      this.moved(event);
    });
    const release = (event) => {
      if (!this.held) return;
      this.held = false;
      this.$emit("dropped", this.place(event));
    };
    canvas.addEventListener("pointerup", release);
    canvas.addEventListener("pointercancel", release);
    canvas.addEventListener("click", (event) => {
      if (this.frame && !this.drag) this.$emit("selected", this.place(event));
    });
    this.ask();
  },
  beforeUnmount() { this.observer.disconnect(); this.theme.disconnect(); },
  methods: {
    show(picture) {
      this.picture = picture;
      this.ask();
    },
    patch(part) {
      this.picture = { ...this.picture, ...part };
      this.ask();
    },
    ask() {
      if (this.asked) return;
      this.asked = true;
      requestAnimationFrame(() => { this.asked = false; this.draw(); });
    },
    place(event) {
      const box = this.$refs.canvas.getBoundingClientRect();
      const f = this.frame;
      const u = (event.clientX - box.left - f.left) / f.wide, v = (event.clientY - box.top - f.top) / f.tall;
      const clip = (s) => Math.min(1, Math.max(0, s));
      return { x: f.x[0] + clip(u) * (f.x[1] - f.x[0]), y: f.y[1] - clip(v) * (f.y[1] - f.y[0]) };
    },
    moved(event) {
      if (!this.frame) return;
      const at = this.place(event);
      if (this.held) {
        this.picture.here = at;
        this.$emit("dragged", at);
      } else {
        this.hover = at;
      }
      this.ask();
    },
    extent(which) {
      let lo = Infinity, hi = -Infinity;
      const take = (value) => { if (Number.isFinite(value)) { lo = Math.min(lo, value); hi = Math.max(hi, value); } };
      for (const line of this.picture.lines || []) {
        if (which === "x" && line.step !== undefined) { take(line.from); take(line.from + line.step * (line.y.length - 1)); }
        else for (const value of line[which] || []) take(value);
      }
      for (const point of this.picture.points || []) take(point[which]);
      if (!(hi >= lo)) return [0, 1];
      if (which === "y" && lo === hi) { lo -= 1; hi += 1; }
      if (which === "x" && lo === hi) { hi = lo + 1; }
      return [lo, hi];
    },
    settled(which) { // stable range: it grows at once and shrinks only when the curve fills less than half of it
      if (this.picture[which]) return this.picture[which];
      let [lo, hi] = this.extent(which);
      if (which === "x") return [lo, hi];
      const room = 0.06 * (hi - lo);
      lo -= room; hi += room;
      const old = this.range;
      if (old && lo >= old[0] && hi <= old[1] && hi - lo > 0.5 * (old[1] - old[0])) return old;
      return (this.range = [lo, hi]);
    },
    draw() {
      const canvas = this.$refs.canvas;
      if (!canvas || !canvas.clientWidth) return;
      const ratio = window.devicePixelRatio || 1, W = canvas.clientWidth, H = canvas.clientHeight;
      if (canvas.width !== Math.round(W * ratio) || canvas.height !== Math.round(H * ratio)) {
        canvas.width = Math.round(W * ratio); canvas.height = Math.round(H * ratio);
      }
      const g = canvas.getContext("2d");
      g.setTransform(ratio, 0, 0, ratio, 0, 0);
      g.clearRect(0, 0, W, H);
      g.font = FONT;
      const f = (this.frame = {
        left: MARGIN.left, top: MARGIN.top, wide: W - MARGIN.left - MARGIN.right, tall: H - MARGIN.top - MARGIN.bottom,
        x: this.settled("x"), y: this.settled("y"),
      });
      const X = (x) => f.left + ((x - f.x[0]) / (f.x[1] - f.x[0])) * f.wide;
      const Y = (y) => f.top + (1 - (y - f.y[0]) / (f.y[1] - f.y[0])) * f.tall;
      this.cells(g, X, Y);
      this.axes(g, X, Y);
      g.save();
      g.beginPath(); g.rect(f.left, f.top, f.wide, f.tall); g.clip();
      for (const mark of this.picture.marks || []) this.mark(g, mark, X, Y);
      for (const line of this.picture.lines || []) this.line(g, line, X, Y);
      for (const point of this.picture.points || []) this.point(g, point, X, Y);
      if (this.picture.here) this.here(g, this.picture.here, X, Y);
      if (this.hover && (this.picture.lines || []).length) {
        g.strokeStyle = colour("faint"); g.lineWidth = 1; g.setLineDash([3, 3]);
        g.beginPath(); g.moveTo(X(this.hover.x), f.top); g.lineTo(X(this.hover.x), f.top + f.tall); g.stroke(); g.setLineDash([]);
      }
      g.restore();
      this.legend();
      this.$refs.note.textContent = this.picture.note || "";
      this.drawn += 1;
      this.$el.dataset.drawn = this.drawn;
      if (this.picture.number !== undefined) this.$el.dataset.number = this.picture.number;
    },
    axes(g, X, Y) {
      const f = this.frame;
      g.lineWidth = 1; g.strokeStyle = colour("grid"); g.fillStyle = colour("quiet");
      const dx = roundStep(f.x[1] - f.x[0], f.wide / 90), dy = roundStep(f.y[1] - f.y[0], f.tall / 36);
      g.textAlign = "center"; g.textBaseline = "top";
      for (let x = Math.ceil(f.x[0] / dx - 1e-9) * dx; x <= f.x[1] + 1e-9 * dx; x += dx) {
        g.beginPath(); g.moveTo(X(x), f.top); g.lineTo(X(x), f.top + f.tall); g.stroke();
        g.fillText(formatNumber(x, dx), X(x), f.top + f.tall + 5);
      }
      g.textAlign = "right"; g.textBaseline = "middle";
      for (let y = Math.ceil(f.y[0] / dy - 1e-9) * dy; y <= f.y[1] + 1e-9 * dy; y += dy) {
        g.beginPath(); g.moveTo(f.left, Y(y)); g.lineTo(f.left + f.wide, Y(y)); g.stroke();
        g.fillText(formatNumber(y, dy), f.left - 6, Y(y));
      }
      g.strokeStyle = colour("faint");
      g.strokeRect(f.left, f.top, f.wide, f.tall);
      g.fillStyle = colour("ink"); g.textAlign = "center"; g.textBaseline = "bottom";
      g.fillText(this.picture.xname || this.xname || "", f.left + f.wide / 2, f.top + f.tall + MARGIN.bottom - 2);
      g.save(); g.translate(12, f.top + f.tall / 2); g.rotate(-Math.PI / 2); g.textBaseline = "middle";
      g.fillText(this.picture.yname || this.yname || "", 0, 0); g.restore();
    },
    line(g, line, X, Y) {
      const y = line.y || [], at = line.step !== undefined ? (i) => line.from + i * line.step : (i) => line.x[i];
      g.strokeStyle = colour(line.colour); g.lineWidth = line.width || 1.6; g.lineJoin = "round";
      g.globalAlpha = line.faint ? 0.45 : 1; g.setLineDash(line.dash || []);
      g.beginPath();
      let down = false;
      for (let i = 0; i < y.length; i++) {
        if (y[i] === null || !Number.isFinite(y[i])) { down = false; continue; }
        const px = X(at(i)), py = Math.max(-1e4, Math.min(1e4, Y(y[i])));
        if (down) g.lineTo(px, py); else g.moveTo(px, py);
        down = true;
      }
      g.stroke(); g.setLineDash([]); g.globalAlpha = 1;
    },
    point(g, point, X, Y) {
      g.strokeStyle = g.fillStyle = colour(point.colour); g.lineWidth = 1.8;
      const x = X(point.x), y = Y(point.y), r = point.size || 4.5;
      g.beginPath();
      if (point.cross) { g.moveTo(x - r, y - r); g.lineTo(x + r, y + r); g.moveTo(x + r, y - r); g.lineTo(x - r, y + r); g.stroke(); }
      else { g.arc(x, y, r, 0, 2 * Math.PI); if (point.hollow) g.stroke(); else g.fill(); }
    },
    mark(g, mark, X, Y) {
      const f = this.frame;
      g.strokeStyle = g.fillStyle = colour(mark.colour || "critical"); g.lineWidth = 1.3; g.setLineDash(mark.solid ? [] : [6, 4]);
      g.beginPath();
      if (mark.x !== undefined) { g.moveTo(X(mark.x), f.top); g.lineTo(X(mark.x), f.top + f.tall); }
      else { g.moveTo(f.left, Y(mark.y)); g.lineTo(f.left + f.wide, Y(mark.y)); }
      g.stroke(); g.setLineDash([]);
      if (mark.text && mark.x !== undefined) {
        const right = X(mark.x) + g.measureText(mark.text).width + 10 < f.left + f.wide;
        g.textAlign = right ? "left" : "right"; g.textBaseline = "top";
        g.fillText(mark.text, X(mark.x) + (right ? 5 : -5), f.top + 4);
      }
    },
    cells(g, X, Y) { // values on a grid, row by row from the bottom: negative is stable
      const c = this.picture.cells;
      if (!c) return;
      const good = colour("steady"), bad = colour("growing"), none = colour("card");
      const largest = c.values.reduce((m, v) => (v === null ? m : Math.max(m, Math.abs(v))), 0) || 1;
      const px = (c.x[1] - c.x[0]) / c.nx, py = (c.y[1] - c.y[0]) / c.ny;
      for (let j = 0; j < c.ny; j++) for (let i = 0; i < c.nx; i++) {
        const v = c.values[j * c.nx + i];
        g.globalAlpha = v === null || c.plain ? 1 : 0.45 + 0.55 * Math.min(1, Math.sqrt(Math.abs(v) / largest));
        g.fillStyle = v === null ? none : v < 0 ? good : bad;
        const [x0, x1] = [i, i + 1].map((n) => Math.round(X(c.x[0] + n * px))); // whole pixels: no seams
        const [y0, y1] = [j + 1, j].map((n) => Math.round(Y(c.y[0] + n * py)));
        g.fillRect(x0, y0, x1 - x0, y1 - y0);
      }
      g.globalAlpha = 1;
    },
    here(g, at, X, Y) {
      g.lineWidth = 4; g.strokeStyle = colour("paper");
      for (let pass = 0; pass < 2; pass++) {
        g.beginPath(); g.arc(X(at.x), Y(at.y), 7, 0, 2 * Math.PI);
        g.moveTo(X(at.x) - 12, Y(at.y)); g.lineTo(X(at.x) + 12, Y(at.y));
        g.moveTo(X(at.x), Y(at.y) - 12); g.lineTo(X(at.x), Y(at.y) + 12); g.stroke();
        g.lineWidth = 1.8; g.strokeStyle = colour("ink");
      }
    },
    legend() {
      const named = (this.picture.lines || []).filter((line) => line.name);
      const legend = this.$refs.legend;
      const entries = named.map((line) => {
        let value = "";
        if (this.hover) {
          const i = line.step !== undefined ? Math.round((this.hover.x - line.from) / line.step) : this.nearest(line.x, this.hover.x);
          const y = line.y[i];
          if (y !== null && y !== undefined) value = " " + Number(y).toPrecision(4);
        }
        return [line.colour, line.name + value, line.faint, (line.dash || []).length];
      });
      const text = JSON.stringify(entries);
      if (text === this.written) return;
      this.written = text;
      legend.replaceChildren(...entries.map(([shade, text, faint, dashed]) => {
        const entry = document.createElement("span"), sample = document.createElement("i");
        sample.style.borderTop = `2px ${dashed ? "dashed" : "solid"} var(--${shade})`;
        if (shade.startsWith("#")) sample.style.borderTopColor = shade;
        if (faint) sample.style.opacity = 0.5;
        entry.append(sample, document.createTextNode(text));
        return entry;
      }));
    },
    nearest(xs, x) {
      let best = 0;
      for (let i = 1; i < xs.length; i++) if (Math.abs(xs[i] - x) < Math.abs(xs[best] - x)) best = i;
      return best;
    },
  },
};
