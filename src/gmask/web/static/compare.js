// Compare: the same question put to several methods, one after the other.
import { events } from "./stream.js";

const panel = document.querySelector("#compare");
const ticks = [...panel.querySelectorAll("[name=methods]")];

export const chosen = () => ticks.filter((t) => t.checked).map((t) => t.value);

export function choose(methods) {
  for (const tick of ticks) tick.checked = !tick.disabled && methods.includes(tick.value);
}

/** Forget what was compared. */
export function clear() {
  panel.querySelector("#compared").hidden = true;
  panel.querySelector("tbody").replaceChildren();
  panel.querySelector(".cards").replaceChildren();
}

/** Ask every chosen method; rows and cards come as they are ready. */
export async function compare(question, { signal, progress, busy }) {
  clear();
  const cards = panel.querySelector(".cards"), rows = panel.querySelector("tbody");
  for await (const [name, data] of events("view/compare", { ...question, methods: chosen() }, { signal, busy })) {
    if (name === "progress" || name === "accepted") progress(data);
    if (name === "card") {
      rows.insertAdjacentHTML("beforeend", data.row);
      cards.insertAdjacentHTML("beforeend", data.card);
    }
    if (name === "failed") {
      const article = Object.assign(document.createElement("article"), { className: "trouble" });
      const title = Object.assign(document.createElement("h3"), { textContent: data.method });
      article.append(title, Object.assign(document.createElement("p"), { textContent: data.error }));
      cards.append(article);
    }
    if (name === "card" || name === "failed") panel.querySelector("#compared").hidden = false;
  }
}
