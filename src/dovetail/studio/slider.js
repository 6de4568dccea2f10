// Slider that sends its newest value every `pause` ms while it moves, and once more when it is released.
export default {
  template: `<input type="range" :min="low" :max="high" step="any" :aria-label="label" :aria-valuetext="text" ref="range" />`,
  props: { low: Number, high: Number, value: Number, label: String, text: String, pause: Number },
  mounted() {
    this.$el.value = this.value;
    this.$el.addEventListener("input", () => {
      if (this.waiting) return;
      this.waiting = setTimeout(() => { this.waiting = null; this.$emit("moved", Number(this.$el.value)); }, this.pause);
    });
    this.$el.addEventListener("change", () => {
      clearTimeout(this.waiting);
      this.waiting = null;
      this.$emit("dropped", Number(this.$el.value));
    });
  },
  methods: {
    moveTo(value) { this.$el.value = value; },
    describe(text) { this.$el.setAttribute("aria-valuetext", text); },
  },
};
