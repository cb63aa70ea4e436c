// Asking the server, and reading what it tells as it goes.

/** What the server says is wrong, in one line. */
export class Trouble extends Error {}

const pause = (seconds, signal) =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, seconds * 1000);
    signal?.addEventListener("abort", () => { clearTimeout(timer); reject(signal.reason); }, { once: true });
  });

/** Send JSON. A server that is busy says when to ask again. */
export async function send(path, body, { signal, busy } = {}) {
  for (;;) {
    let response;
    try {
      response = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new Trouble("the server does not answer; is it still running?");
    }
    if (response.ok) return response;
    if (response.status === 429 && busy) {
      const seconds = Number(response.headers.get("Retry-After")) || 1;
      busy(seconds);
      await pause(seconds, signal);
      continue;
    }
    const told = await response.json().catch(() => ({}));
    throw new Trouble(told.error ?? `the server answered ${response.status}`);
  }
}

/** Send JSON and yield the events that come back, as [name, data]. Leaving the loop, or the signal, ends the work. */
export async function* events(path, body, options) {
  const response = await send(path, body, options);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const parts = (rest + value).split("\n\n");
      rest = parts.pop();
      for (const part of parts) {
        const [, name, data] = part.match(/^event: (\w+)\ndata: (.*)$/s);
        yield [name, JSON.parse(data)];
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
