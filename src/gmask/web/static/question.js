// The form: what is asked, as the server takes it and as an address that asks it again.

const form = document.querySelector("#ask");
const field = (name) => form.elements[name];
const settings = () => form.querySelector(`fieldset[data-method="${CSS.escape(field("method").value)}"]`);
const PLAIN = ["first", "second", "model", "method", "target", "against", "removal", "reference", "units", "seed"];
const CHOSEN = ["model", "method", "target", "against", "removal", "reference", "units"]; // from lists
let labelled = 0; // counts models whose labels were asked for: only the last one's are shown

/** What the form asks, as the server takes it. */
export function question() {
  const asked = { first: field("first").value, second: field("second").value, model: field("model").value, method: field("method").value, seed: Number(field("seed").value) };
  for (const name of ["target", "against", "removal", "reference", "units"]) if (field(name).value) asked[name] = field(name).value;
  asked.options = {};
  for (const input of settings().querySelectorAll("[data-option]")) {
    if (input.value.trim() && input.value !== input.dataset.default) asked.options[input.dataset.option] = input.value.trim();
  }
  return asked;
}

/** The same as an address. */
export function address(asked, view) {
  const query = new URLSearchParams();
  for (const name of PLAIN) if (asked[name] !== undefined && !(name === "seed" && asked.seed === 0)) query.set(name, asked[name]);
  for (const [name, value] of Object.entries(asked.options)) query.append("option", `${name}=${value}`);
  for (const [name, value] of Object.entries(view)) if (value) query.set(name, value);
  return `${location.pathname}?${query}`;
}

/**
 * Put what an address asks into the form, and return what cannot be had here.
 * What waits for the model comes last, so nothing typed meanwhile is lost.
 */
export async function restore(query) {
  const model = field("model");
  if ([...model.options].some((o) => o.value === query.get("model"))) model.value = query.get("model");
  for (const name of PLAIN) if (name !== "model") set(field(name), query.get(name));
  refreshMethod();
  for (const input of settings().querySelectorAll("[data-option]")) input.value = input.dataset.default;
  for (const option of query.getAll("option")) {
    const [name, ...value] = option.split("=");
    const input = settings().querySelector(`[data-option="${CSS.escape(name)}"]`);
    if (input) set(input, value.join("="));
  }
  await refreshModel();
  for (const name of ["target", "against", "removal"]) if (query.has(name)) set(field(name), query.get(name));
  return CHOSEN.filter((name) => query.get(name) && query.get(name) !== field(name).value).map((name) => `${name} “${query.get(name)}”`);
}

function set(control, value) {
  if (control.tagName !== "SELECT") control.value = value ?? control.defaultValue;
  else if ([...control.options].some((o) => o.value === value)) control.value = value;
  else control.selectedIndex = Math.max(0, [...control.options].findIndex((o) => o.defaultSelected));
}

/** Fill a list with what there is to choose, keeping the choice if it is still there. */
function choices(select, values) {
  const chosen = select.value;
  select.replaceChildren(select.options[0], ...values.map((value) => new Option(value)));
  select.value = values.includes(chosen) ? chosen : "";
}

export function showLabels(labels) {
  choices(field("target"), labels);
  choices(field("against"), labels);
  for (const name of ["target", "against"]) field(name).disabled = labels.length === 0;
}

/** Labels, removals and methods of the chosen model. */
export async function refreshModel() {
  const turn = ++labelled;
  const response = await fetch(`api/models/${field("model").value}`).catch(() => null);
  if (!response?.ok || turn !== labelled) return;
  const model = await response.json();
  showLabels(model.labels);
  choices(field("removal"), model.removals);
  for (const option of field("method").options) option.disabled = !model.methods.includes(option.value);
  for (const tick of document.querySelectorAll("[name=methods]")) {
    tick.disabled = !model.methods.includes(tick.value);
    if (tick.disabled) tick.checked = false;
  }
  if (field("method").selectedOptions[0]?.disabled) field("method").value = "gmask";
  refreshMethod();
}

/** The summary and the settings of the chosen method. */
export function refreshMethod() {
  document.querySelector("#summary").textContent = `${field("method").value}: ${field("method").selectedOptions[0].dataset.summary}`;
  for (const fields of form.querySelectorAll("fieldset[data-method]")) {
    fields.hidden = fields.disabled = fields.dataset.method !== field("method").value;
  }
}
