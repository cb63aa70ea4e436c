// Point at, or tab to, a word or a group: what belongs to it is lit in every part of its explanation.
(() => {
  if (window.gmaskLights) return; // one listener serves every explanation on a page, also those that come later
  window.gmaskLights = true;

  const groupsOf = (part) => (part.dataset.in ?? "").split(" ").filter(Boolean);

  const belongs = (part, asked) => {
    if (asked.dataset.g !== undefined) return part.dataset.g === asked.dataset.g || groupsOf(part).includes(asked.dataset.g);
    if (part.dataset.w !== undefined) return part.dataset.w === asked.dataset.w;
    return groupsOf(asked).includes(part.dataset.g);
  };

  const clear = () => {
    for (const root of document.querySelectorAll(".gmask-asked")) {
      root.classList.remove("gmask-asked");
      for (const part of root.querySelectorAll(".lit")) part.classList.remove("lit");
      const says = root.querySelector(".says");
      says.textContent = says.dataset.hint;
    }
  };

  const light = (event) => {
    const asked = event.composedPath()[0].closest?.("[data-w], [data-g]");
    const root = asked?.closest(".gmask");
    clear();
    if (!root) return;
    root.classList.add("gmask-asked");
    for (const part of root.querySelectorAll("[data-w], [data-g]")) part.classList.toggle("lit", belongs(part, asked));
    const told = root.querySelector(asked.dataset.g === undefined ? `[data-w="${asked.dataset.w}"][title]` : `[data-g="${asked.dataset.g}"][title]`);
    if (told) root.querySelector(".says").textContent = told.title;
  };

  document.addEventListener("mouseover", light);
  document.addEventListener("focusin", light);
  document.addEventListener("focusout", clear);
  document.addEventListener("keydown", (event) => event.key === "Escape" && clear());
})();
