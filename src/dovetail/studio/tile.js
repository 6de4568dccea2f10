// An answer on a tile. Its words are set directly: the page around it is not drawn again for each of many a second.
export default {
  template: `<div class="tile"><div class="head">{{ heading }}</div><div class="answer" ref="answer"></div><div class="more" ref="more"></div></div>`,
  props: { heading: String },
  methods: {
    show(answer, more, tone) {
      if (this.$refs.answer.textContent !== answer) this.$refs.answer.textContent = answer;
      if (this.$refs.more.textContent !== more) this.$refs.more.textContent = more;
      const wanted = ("tile " + tone).trim();
      if (this.$el.className !== wanted) this.$el.className = wanted;
    },
  },
};
