// What if: words are switched off, and the probabilities follow.
import { send, Trouble } from "./stream.js";

const rounded = (value) => Number(value.toFixed(2));
const two = (value) => value.toFixed(2).replace("-", "−");

/** Bring a panel to life. `changed` is told which words are off. */
export function whatIf(panel, question, off, changed) {
  const switches = [...panel.querySelectorAll("[role=switch]")];
  const odds = [...panel.querySelectorAll(".odds > div")];
  const now = panel.querySelector(".now");
  const gone = new Set(off.filter((i) => switches.some((s) => Number(s.dataset.i) === i)));
  let turn = new AbortController();

  const ask = async () => {
    turn.abort();
    turn = new AbortController();
    const { signal } = turn;
    const { first, second, model, removal, reference, units } = question;
    const words = switches.map((s) => Number(s.dataset.i)).filter((i) => gone.has(i));
    try {
      const response = await send("api/predict", { first, second, model, reference, ...(removal && { removal }), ...(units && { units }), without: [words] }, { signal, busy: () => {} });
      const { rows: [row] } = await response.json();
      if (!signal.aborted) show(row);
    } catch (error) {
      if (!signal.aborted) now.textContent = error instanceof Trouble ? error.message : String(error);
    }
  };

  const show = (row) => {
    const outputs = row.score === null ? row.probabilities : [row.score];
    for (const part of odds) {
      const value = outputs[part.dataset.index], change = rounded(value) - rounded(Number(part.dataset.was));
      part.querySelector(".bar")?.style.setProperty("--v", value);
      part.querySelector(".number").textContent = two(value);
      part.querySelector(".change").textContent = Math.abs(change) < 0.005 ? "" : (change > 0 ? "+" : "") + two(change);
      part.classList.toggle("said", part.dataset.label === row.label);
    }
    const before = odds[0].dataset.label, was = two(Number(odds[0].dataset.was)), is = two(outputs[odds[0].dataset.index]);
    const words = named();
    if (gone.size === 0) now.textContent = `${words}: ${before} ${is}.`;
    else if (row.label === null || row.label === before) now.textContent = `${words}: still ${before}, ${is} (was ${was}).`;
    else now.textContent = `${words} the model says ${row.label}; ${before} falls to ${is} (was ${was}).`;
    if (row.label === null && gone.size) now.textContent = `${words}: score ${is} (was ${was}).`;
  };

  const named = () => {
    if (gone.size === 0) return "With all words";
    if (gone.size === switches.length) return "With nothing of the pair";
    const off = switches.filter((s) => gone.has(Number(s.dataset.i))).map((s) => `“${s.textContent}”`);
    return off.length > 4 ? `Without ${off.length} words` : `Without ${off.join(", ")}`;
  };

  const refresh = () => {
    for (const s of switches) s.setAttribute("aria-checked", String(!gone.has(Number(s.dataset.i))));
    changed([...gone].sort((a, b) => a - b));
    ask();
  };

  panel.addEventListener("click", (event) => {
    const word = event.target.closest("[role=switch]"), preset = event.target.closest("[data-off]");
    if (word) {
      const i = Number(word.dataset.i);
      if (!gone.delete(i)) gone.add(i);
    } else if (preset) {
      gone.clear();
      for (const i of preset.dataset.off.split(" ").filter(Boolean)) gone.add(Number(i));
    } else return;
    refresh();
  });
  for (const s of switches) s.setAttribute("aria-checked", String(!gone.has(Number(s.dataset.i))));
  ask();
}
