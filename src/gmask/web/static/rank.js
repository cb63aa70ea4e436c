// Rank: passages in order, why one has its score, and why it stands above the next.
import { question } from "./question.js";
import { events, Trouble } from "./stream.js";

const panel = document.querySelector("#rank");
const form = panel.querySelector("form"), ranked = panel.querySelector("#ranked");
let asked = null; // the ranking that is shown, and what was asked of it

/** What the panel asks, as the server takes it. */
function wanted() {
  const { model, method, target, removal, seed, options } = question();
  const passages = form.elements.passages.value.split("\n").map((line) => line.trim()).filter(Boolean);
  return { query: form.elements.query.value, passages, model, method, seed, options, ...(target && { target }), ...(removal && { removal }) };
}

/** The same as an address. */
export function address() {
  const query = new URLSearchParams({ view: "rank" });
  for (const name of ["query", "model", "method", "target", "removal", "why", "over"]) if (asked[name] !== undefined) query.set(name, asked[name]);
  for (const passage of asked.passages) query.append("passage", passage);
  if (asked.seed) query.set("seed", asked.seed);
  for (const [name, value] of Object.entries(asked.options)) query.append("option", `${name}=${value}`);
  return `${location.pathname}?${query}`;
}

/** Put what an address asks into the panel; what it asks of the ranking, or nothing if it asks for none. */
export function restoreRank(query) {
  form.elements.query.value = query.get("query") ?? "";
  form.elements.passages.value = query.getAll("passage").join("\n");
  if (!query.get("query")?.trim() || !query.has("passage")) return null;
  const place = (name) => (/^\d+$/.test(query.get(name) ?? "") ? { [name]: Number(query.get(name)) } : {});
  return { ...place("why"), ...place("over") };
}

/** Begin with a query, unless there is one. */
export function suggest(text) {
  if (!form.elements.query.value) form.elements.query.value = text;
}

/** Rank, and explain what `about` names. */
export async function rank(about, { signal, progress, busy }) {
  const ask = { ...wanted(), ...about };
  for await (const [name, data] of events("view/rank", ask, { signal, busy })) {
    if (name === "progress") progress(data);
    if (name === "failed") throw new Trouble(data.error);
    if (name === "result") {
      asked = ask;
      show(data);
    }
  }
}

/** What is shown, to ask for it as a file; nothing before the first ranking. */
export const shown = () => asked;

function show({ ranking, order, names, why }) {
  panel.querySelector(".order").innerHTML = ranking;
  for (const [place, i] of order.entries()) {
    const actions = document.createElement("p");
    actions.className = "actions";
    actions.append(action("Why this score", { why: i }, names[i]));
    const next = order[place + 1], before = order[place - 1];
    if (next !== undefined) actions.append(action("Why above the next", { why: i, over: next }, names[i]));
    if (before !== undefined) actions.append(action("Why below the one before", { why: i, over: before }, names[i]));
    panel.querySelector(`.order [data-passage="${i}"]`).append(actions);
  }
  const reason = panel.querySelector(".reason");
  reason.innerHTML = why;
  ranked.hidden = false;
  if (why) {
    reason.scrollIntoView({ block: "nearest" });
    reason.focus({ preventScroll: true });
  }
}

function action(text, about, name) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = text;
  button.setAttribute("aria-label", `${text}: ${name}`);
  Object.assign(button.dataset, about);
  return button;
}

/** Call `ask` with what is to be explained, whenever something of the panel is asked for. */
export function listen(ask) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    ask({});
  });
  panel.querySelector(".order").addEventListener("click", (event) => {
    const button = event.target.closest("[data-why]");
    if (!button) return;
    ask({ why: Number(button.dataset.why), ...(button.dataset.over && { over: Number(button.dataset.over) }) });
  });
}
