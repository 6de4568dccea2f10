// A slider that tells its value while it moves, the newest at most every `pause` ms, and once more where it is let go.
export default {
  template: `<input type="range" :min="low" :max="high" step="any" :aria-label="label" ref="range" />`,
  props: { low: Number, high: Number, value: Number, label: String, pause: Number },
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
  methods: { stand(value) { this.$el.value = value; } },
};
