// Stores unsaved input in the browser window and restores it when the page is reloaded, because input typed while the
// server is down cannot be sent. Fields with data-unsaved and the file editor write to sessionStorage at every key press;
// input that the server has accepted is deleted (dovetailAccepted).
(() => {
  const PREFIX = "dovetail-unsaved:";
  const holder = () => document.querySelector(".file[data-file]");
  const editor = () => {
    const element = document.querySelector(".file .nicegui-codemirror");
    return element && element.id && getElement(element.id.slice(1))?.editor;
  };
  document.addEventListener("input", (event) => {
    const name = event.target.dataset?.unsaved;
    if (name) sessionStorage.setItem(PREFIX + name, event.target.value);
    if (event.target.closest?.(".cm-content")) setTimeout(keepFile);
  }, true);
  document.addEventListener("keydown", (event) => { // Tab leaves the file editor, as any other field
    if (event.key === "Tab" && event.target.closest?.(".cm-editor")) event.stopImmediatePropagation();
  }, true);
  document.addEventListener("keyup", (event) => { if (event.target.closest?.(".cm-content")) keepFile(); }, true);
  function keepFile() {
    const view = editor();
    if (view) sessionStorage.setItem(PREFIX + "file " + holder().dataset.file, view.state.doc.toString());
  }
  window.dovetailAccepted = (name, text) => {
    if (text === undefined || sessionStorage.getItem(PREFIX + name) === text) sessionStorage.removeItem(PREFIX + name);
  };
  window.dovetailUnsaved = (name) => sessionStorage.getItem(PREFIX + name);
  window.dovetailRestoreFields = () => {
    for (const input of document.querySelectorAll("[data-unsaved]")) {
      const typed = sessionStorage.getItem(PREFIX + input.dataset.unsaved);
      if (typed === null || input.value === typed) continue;
      const set = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(input), "value").set;
      set.call(input, typed);
      input.dispatchEvent(new Event("input", { bubbles: true }));
    }
  };
  window.dovetailRestoreFile = () => {
    const view = editor(), typed = holder() && sessionStorage.getItem(PREFIX + "file " + holder().dataset.file);
    if (!view) return void setTimeout(window.dovetailRestoreFile, 50);
    view.contentDOM.setAttribute("aria-label", "Text of the test file");
    if (typed !== null && typed !== view.state.doc.toString())
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: typed } });
  };
})();
