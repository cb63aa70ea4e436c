// The API page: send a request, see what comes back.
for (const form of document.querySelectorAll(".try")) {
  const output = form.querySelector("output"), pre = form.querySelector("pre"), body = form.querySelector("textarea");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    output.textContent = "…";
    try {
      const response = await fetch(form.dataset.path, {
        method: form.dataset.method,
        ...(body && { headers: { "Content-Type": "application/json" }, body: body.value }),
      });
      const text = await response.text();
      output.textContent = `${response.status} ${response.statusText}`;
      pre.textContent = response.headers.get("Content-Type")?.includes("json") ? JSON.stringify(JSON.parse(text), null, 2) : text;
      pre.hidden = false;
    } catch {
      output.textContent = "the server does not answer";
    }
  });
}
