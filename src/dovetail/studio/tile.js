// Tile with one result. Its text is set directly, because redrawing the page many times per second is slow.
export default {
  template: `<div class="tile"><div class="head">{{ heading }}</div><div class="result" ref="result"></div><div class="more" ref="more"></div></div>`,
  props: { heading: String },
  methods: {
    show(result, more, tone) {
      if (this.$refs.result.textContent !== result) this.$refs.result.textContent = result;
      if (this.$refs.more.textContent !== more) this.$refs.more.textContent = more;
      const classes = ("tile " + tone).trim();
      if (this.$el.className !== classes) this.$el.className = classes;
    },
  },
};
