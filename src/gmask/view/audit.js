// The filters of an audit's findings. Without this script all cards are there.
for (const form of document.querySelectorAll(".audit .filters")) {
  const cards = [...form.parentElement.querySelectorAll(".card")];
  const filter = () => {
    const words = form.words.value.trim().toLowerCase();
    for (const card of cards) {
      const { label, kind, worse } = card.dataset;
      card.hidden = !(
        card.dataset.words.includes(words) &&
        (!form.label.value || form.label.value === label) &&
        (!form.kind.value || form.kind.value === kind) &&
        (!form.wrong.checked || worse === "1")
      );
    }
    const shown = cards.filter((card) => !card.hidden).length;
    form.querySelector("output").value = shown < cards.length ? `${shown} of ${cards.length} findings` : "";
  };
  form.hidden = false;
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
}

// Where there is a server, each pair leads to its explanation.
for (const audit of document.querySelectorAll(".audit[data-asks]:not([data-asks=''])")) {
  for (const pair of audit.querySelectorAll(".pair")) {
    const [first, second] = [".first", ".second"].map((side) => pair.querySelector(side).textContent);
    const link = document.createElement("a");
    link.href = `${audit.dataset.asks}&${new URLSearchParams({ first, second })}`;
    link.textContent = "why?";
    pair.querySelector(".said").append(" ", link);
  }
}
