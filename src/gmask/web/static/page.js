// The page: asks, shows the answer, keeps the address in step with what is seen.
import { address, question, refreshMethod, refreshModel, restore, showLabels } from "./question.js";
import { choose, chosen, clear, compare } from "./compare.js";
import { address as rankAddress, listen, rank, restoreRank, shown, suggest } from "./rank.js";
import { events, send, Trouble } from "./stream.js";
import { whatIf } from "./whatif.js";

const $ = (selector) => document.querySelector(selector);
const form = $("#ask"), progress = $("#progress"), trouble = $("#trouble"), views = $("#views");
const tabs = [...document.querySelectorAll("[role=tab]")];

let asked = null; // the question whose answer is shown
let view = { view: "", off: "", methods: "" }; // what is seen of it
let work = new AbortController();

// Work that takes a while

/** Do it with the progress shown; whether it came to its end. */
async function busily(task) {
  work.abort();
  const mine = (work = new AbortController());
  trouble.hidden = true;
  tell("asking …");
  progress.hidden = false;
  progress.scrollIntoView({ block: "nearest" });
  $("#answer").setAttribute("aria-busy", "true");
  const busy = (seconds) => tell(`the server is busy; asking again in ${seconds} s`);
  try {
    await task({ signal: mine.signal, progress: told, busy });
    return !mine.signal.aborted;
  } catch (error) {
    if (!mine.signal.aborted) fail(error instanceof Trouble ? error.message : `something went wrong on the page: ${error.message}`);
    return false;
  } finally {
    if (work === mine) {
      progress.hidden = true;
      $("#answer").removeAttribute("aria-busy");
    }
  }
}

const tell = (text) => (progress.querySelector("p").textContent = text);
const told = ({ method, waiting, rows, seconds }) => {
  const by = method ? `${method}: ` : "";
  if (waiting) tell(`${by}waiting for ${waiting} before this`);
  else if (rows !== undefined) tell(`${by}${rows.toLocaleString("en")} model rows in ${seconds.toFixed(1)} s`);
};

function fail(text) {
  trouble.textContent = text;
  trouble.hidden = false;
}

// Asking

async function explain(next = { view: "", off: "", methods: "" }, { push = true } = {}) {
  const ask = question();
  let shown = false; // whether something of it is shown: what is known so far is refined in place
  await busily(async ({ signal, progress, busy }) => {
    for await (const [name, data] of events("view/explain", ask, { signal, busy })) {
      if (name === "progress") progress(data);
      if (name === "failed") throw new Trouble(data.error);
      if (name === "sofar" || name === "result") {
        if (!shown) {
          asked = ask;
          view = next;
          if (push) history.pushState(null, "", address(asked, view));
        }
        shown = true;
        show(data);
      }
    }
  });
  if (asked === ask && next.view === "compare" && next.methods) await runCompare();
}

function show({ why, whatif, labels, reference }) {
  showLabels(labels);
  $("#why").innerHTML = why;
  const panel = document.createElement("div");
  panel.innerHTML = whatif;
  $("#whatif").replaceChildren(panel);
  whatIf(panel, { ...asked, reference }, view.off.split(".").filter(Boolean).map(Number), (off) => seen({ off: off.join(".") }));
  clear();
  openViews();
  select(view.view || "why", { quiet: true });
  if (views.getBoundingClientRect().top > window.innerHeight / 2) $("#answer").scrollIntoView();
  document.title = `${$("#why h2").textContent}: gmask`;
}

async function runCompare() {
  if (chosen().length === 0) return fail("tick at least one method to compare");
  seen({ methods: chosen().join(",") });
  await busily((options) => compare(asked, options));
}

// Rank

async function runRank(about) {
  const ranked = await busily((options) => rank(about, options));
  if (ranked) history.replaceState(null, "", rankAddress());
}

function openRank() {
  openViews();
  select("rank", { quiet: true });
}

/** The tabs; those of an answer can be chosen once there is one. */
function openViews() {
  views.hidden = false;
  $("#promise").hidden = true;
  suggest(form.elements.first.value);
  for (const tab of tabs) tab.disabled = asked === null && tab.dataset.view !== "rank";
}

// What is seen, and its address

function seen(changes) {
  view = { ...view, ...changes };
  history.replaceState(null, "", address(asked, view));
}

function select(name, { quiet = false } = {}) {
  for (const tab of tabs) {
    const on = tab.dataset.view === name;
    tab.setAttribute("aria-selected", String(on));
    tab.tabIndex = on ? 0 : -1;
    $(`#${tab.dataset.view}`).hidden = !on;
  }
  $(".bar-of-tabs .take").hidden = name === "rank";
  if (quiet || asked === null) return;
  if (name === "rank" && shown()) history.replaceState(null, "", rankAddress());
  else seen({ view: name === "why" ? "" : name });
}

async function follow() {
  const query = new URLSearchParams(location.search);
  const next = { view: query.get("view") ?? "", off: query.get("off") ?? "", methods: query.get("methods") ?? "" };
  if (!tabs.some((tab) => tab.dataset.view === next.view)) next.view = "";
  if (query.get("first")?.trim() && query.get("second")?.trim()) return explainThat(query, next, { link: true });
  work.abort();
  progress.hidden = views.hidden = true;
  $("#promise").hidden = false;
  const about = next.view === "rank" ? restoreRank(query) : null;
  if (next.view === "rank") openRank();
  if (about === null) {
    await restore(query);
    return;
  }
  const ready = await busily(async () => {
    const missing = await restore(query);
    if (missing.length) throw new Trouble(`this link asks for what is not offered here: ${missing.join(", ")}`);
  });
  if (ready) await runRank(about);
}

/** Explain what an address asks; the model may have to be loaded first. A link is followed wholly or not at all. */
async function explainThat(query, next, { link = false } = {}) {
  const ready = await busily(async () => {
    const missing = await restore(query);
    if (link && missing.length) throw new Trouble(`this link asks for what is not offered here: ${missing.join(", ")}`);
  });
  if (!ready) return;
  if (next?.methods) choose(next.methods.split(","));
  await explain(next, { push: !link });
}

async function download(path, body, name) {
  try {
    const response = await send(path, body, { busy: () => {} });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await response.blob());
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // some browsers read it a while later
  } catch (error) {
    fail(error.message);
  }
}

async function copyLink(button) {
  try {
    await navigator.clipboard.writeText(location.href);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Copy the address above";
  }
  setTimeout(() => (button.textContent = "Copy link"), 2500);
}

// Events

form.addEventListener("submit", (event) => {
  event.preventDefault();
  explain();
});
form.elements.model.addEventListener("change", refreshModel);
form.elements.method.addEventListener("change", refreshMethod);
for (const text of form.querySelectorAll("textarea")) {
  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
}

$(".examples").addEventListener("click", async (event) => {
  const example = event.target.closest("button");
  if (!example) return;
  const { first, second, model } = example.dataset;
  await explainThat(new URLSearchParams({ first, second, model, method: form.elements.method.value }));
  $("#answer").focus();
});

$("#why").addEventListener("click", (event) => {
  const other = event.target.closest("[data-against]");
  if (!other) return;
  form.elements.target.value = other.dataset.target;
  form.elements.against.value = other.dataset.against;
  explain();
});

$("#cancel").addEventListener("click", () => {
  work.abort();
  progress.hidden = true;
  $("#answer").removeAttribute("aria-busy");
  fail("called off");
});

$("#compare form").addEventListener("submit", (event) => {
  event.preventDefault();
  runCompare();
});

$("[role=tablist]").addEventListener("click", (event) => event.target.dataset.view && select(event.target.dataset.view));
$("[role=tablist]").addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1, Home: -99, End: 99 }[event.key];
  if (!step) return;
  event.preventDefault();
  const open = tabs.filter((tab) => !tab.disabled);
  const at = open.indexOf(document.activeElement);
  const to = Math.abs(step) === 1 ? (at + step + open.length) % open.length : step < 0 ? 0 : open.length - 1;
  select(open[to].dataset.view);
  open[to].focus();
});

$(".bar-of-tabs .take").addEventListener("click", ({ target: { dataset } }) => {
  if (dataset.format) download(`api/explain?format=${dataset.format}`, asked, `explanation.${dataset.ending}`);
});
$("#rank .take").addEventListener("click", ({ target: { dataset } }) => {
  if (dataset.kind) download(`api/rank?format=${dataset.kind}`, shown(), `ranking.${dataset.ending}`);
});
$("#to-rank").addEventListener("click", openRank);
listen(runRank);
$("#link").addEventListener("click", (event) => copyLink(event.target));
window.addEventListener("popstate", follow);
follow();
