// What was typed and not yet taken is kept by the browser window, and put back when the page is loaded anew: a server
// that is gone cannot be told what is typed meanwhile. Fields with data-keep, and the file, are written to the window's
// own storage at every key; what the server has taken is forgotten (dovetailTaken).
(() => {
  const PREFIX = "dovetail-typed:";
  const holder = () => document.querySelector(".file[data-file]");
  const editor = () => {
    const element = document.querySelector(".file .nicegui-codemirror");
    return element && element.id && getElement(element.id.slice(1))?.editor;
  };
  document.addEventListener("input", (event) => {
    const name = event.target.dataset?.keep;
    if (name) sessionStorage.setItem(PREFIX + name, event.target.value);
    if (event.target.closest?.(".cm-content")) setTimeout(keepFile);
  }, true);
  document.addEventListener("keyup", (event) => { if (event.target.closest?.(".cm-content")) keepFile(); }, true);
  function keepFile() {
    const view = editor();
    if (view) sessionStorage.setItem(PREFIX + "file " + holder().dataset.file, view.state.doc.toString());
  }
  window.dovetailTaken = (name, text) => {
    if (text === undefined || sessionStorage.getItem(PREFIX + name) === text) sessionStorage.removeItem(PREFIX + name);
  };
  window.dovetailKept = (name) => sessionStorage.getItem(PREFIX + name);
  window.dovetailTyped = () => {
    for (const input of document.querySelectorAll("[data-keep]")) {
      const typed = sessionStorage.getItem(PREFIX + input.dataset.keep);
      if (typed === null || input.value === typed) continue;
      const set = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(input), "value").set;
      set.call(input, typed);
      input.dispatchEvent(new Event("input", { bubbles: true }));
    }
  };
  window.dovetailTypedFile = () => {
    const view = editor(), typed = holder() && sessionStorage.getItem(PREFIX + "file " + holder().dataset.file);
    if (!view) return void setTimeout(window.dovetailTypedFile, 50);
    if (typed !== null && typed !== view.state.doc.toString())
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: typed } });
  };
})();
