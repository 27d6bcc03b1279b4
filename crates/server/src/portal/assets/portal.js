// Answers that appear while they are made, cards on marks, keys. Every page works without this file.

const status = document.getElementById("status");
const say = (text) => { if (status) status.textContent = text; };
const STEPS = {
  embed: "Question read", retrieve: "Searched", rerank: "Ranked", expand: "Context added", evidence: "Sentences read",
  topic: "Topic checked", generate: "Answer written", guardrail: "Quotes checked", verify: "Claims checked",
};

// What a reader chose: whether Enter sends, and for this tab which page of a paper stays open. A browser may forbid to keep it.
const store = (name) => (name === "pin" ? sessionStorage : localStorage);
const kept = (name) => { try { return store(name).getItem(name); } catch { return null; } };
const keep = (name, value) => { try { value ? store(name).setItem(name, value) : store(name).removeItem(name); } catch { /* as above */ } };

// --- Asking: the form is sent, and the answer arrives as events.

async function* events(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    for (let end; (end = text.indexOf("\n\n")) >= 0; text = text.slice(end + 2)) {
      const lines = text.slice(0, end).split("\n");
      const field = (name) => lines.filter((line) => line.startsWith(name)).map((line) => line.slice(name.length).trimStart()).join("\n");
      if (field("event:")) yield { name: field("event:"), data: JSON.parse(field("data:")) };
    }
  }
}

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}

let asking;
async function ask(form) {
  asking?.abort();
  const main = document.getElementById("ask");
  const stop = main.querySelector("[data-stop]");
  const button = main.querySelector("button[type=submit]");
  const steps = document.getElementById("steps");
  const answer = document.getElementById("answer");
  const pane = document.getElementById("pane");
  const controller = new AbortController();
  asking = controller;
  const fields = new FormData(form);
  main.querySelector("[name=question]").value = fields.get("question");
  stop.onclick = () => controller.abort();
  stop.hidden = false;
  button.disabled = true;
  // One line whose height is reserved: nothing moves below it.
  const step = (text) => { steps.textContent = text; };
  step("Searching…");
  if (!kept("pin")) pane?.replaceChildren();
  const asked = element("h2", "asked", fields.get("question"));
  asked.dir = "auto";
  const draft = element("p", "draft");
  answer.replaceChildren(asked, draft);
  say("Searching");
  let ended = false;
  try {
    const response = await fetch(form.action, {
      method: "POST", body: new URLSearchParams(fields), headers: { Accept: "text/event-stream" }, signal: controller.signal,
    });
    if (!(response.headers.get("content-type") || "").startsWith("text/event-stream")) {
      const page = new DOMParser().parseFromString(await response.text(), "text/html").querySelector("main");
      ended = true;
      answer.replaceChildren(...(page ? page.childNodes : [element("p", "problem", `The server answered with ${response.status}.`)]));
      return;
    }
    for await (const { name, data } of events(response)) {
      if (name === "stage") {
        const text = STEPS[data.stage];
        if (text) step(`${text} (${Math.round(data.milliseconds)} ms)`);
      } else if (name === "draft") {
        draft.textContent = data.text ? draft.textContent + data.text : "";
      } else if (name === "answer") {
        ended = true;
        answer.innerHTML = data.html;
        history.pushState({}, "", data.address);
        here = data.address;
        ready(answer);
        say(answer.querySelector(".refusal") ? "The papers do not answer this" : "Answer ready");
      } else if (name === "error") {
        ended = true;
        if (data.html) answer.innerHTML = data.html;
        else answer.replaceChildren(element("p", "problem", data.message || "The server could not answer."));
        say("Something went wrong");
      }
    }
    if (!ended) throw new Error("the connection ended");
  } catch (error) {
    if (asking !== controller) return;
    const stopped = error.name === "AbortError";
    answer.replaceChildren(element("p", "problem", stopped ? "Stopped." : "The server did not answer. Is it still running?"));
    say(stopped ? "Stopped" : "The server did not answer");
  } finally {
    if (asking === controller) {
      stop.hidden = true;
      button.disabled = false;
      steps.replaceChildren();
    }
  }
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("[data-ask]")) return;
  event.preventDefault();
  ask(form);
});

// --- Cards: shown 200 ms after the pointer or the focus reaches a mark; the pointer may move onto the card.

let waiting;
let open;
function hide() {
  clearTimeout(waiting);
  if (open?.matches(":popover-open")) open.hidePopover();
  open = undefined;
}
function show(mark) {
  const card = document.getElementById(mark.dataset.card);
  if (!card?.showPopover || card === open) return;
  hide();
  card.showPopover();
  const at = mark.getBoundingClientRect();
  const below = at.bottom + card.offsetHeight + 8 < innerHeight;
  card.style.setProperty("left", `${Math.max(8, Math.min(at.left, innerWidth - card.offsetWidth - 8))}px`);
  card.style.setProperty("top", `${below ? at.bottom + 4 : Math.max(8, at.top - card.offsetHeight - 4)}px`);
  open = card;
}
for (const kind of ["pointerover", "focusin"]) {
  document.addEventListener(kind, (event) => {
    const mark = event.target.closest?.("[data-card]");
    if (mark) {
      clearTimeout(waiting);
      waiting = setTimeout(() => show(mark), 200);
    } else if (open && !event.target.closest?.(".card")) {
      clearTimeout(waiting);
      waiting = setTimeout(hide, 200);
    } else {
      clearTimeout(waiting);
    }
  });
}

// --- Keys.

const writes = (target) => target.matches?.("input, textarea, select, [contenteditable]");
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") return hide();
  const sends = event.ctrlKey || event.metaKey || (kept("enter") && !event.shiftKey && !event.isComposing);
  if (event.key === "Enter" && sends && event.target.matches?.("textarea") && event.target.form?.matches("[data-ask]")) {
    event.preventDefault();
    return event.target.form.requestSubmit();
  }
  if (writes(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/") {
    event.preventDefault();
    document.getElementById("question")?.focus();
  } else if (event.key === "+" || event.key === "-") {
    zoom(event.key === "+" ? "in" : "out");
  } else if (/^[1-4]$/.test(event.key)) {
    const grade = document.querySelector(`.grade [data-key="${event.key}"]`);
    if (grade) { grade.checked = true; grade.closest("form").querySelector("[name=note]").focus(); }
  } else if (!event.key.startsWith("Arrow") || !document.querySelector(".sheet[class*=zoom]")) {
    document.querySelector(`a.step[data-key="${CSS.escape(event.key)}"]`)?.click();
  }
});

// --- The page beside an answer.

const ZOOMS = ["", "zoom-150", "zoom-200", "zoom-300"];
function zoom(way) {
  const sheet = document.querySelector(".sheet");
  if (!sheet) return;
  const now = Math.max(0, ZOOMS.findIndex((name) => name && sheet.classList.contains(name)));
  const next = Math.min(ZOOMS.length - 1, Math.max(0, now + (way === "in" ? 1 : -1)));
  sheet.classList.remove(...ZOOMS.filter(Boolean));
  if (ZOOMS[next]) sheet.classList.add(ZOOMS[next]);
  toQuote();
}
function toQuote() {
  const sheet = document.querySelector("#pane .sheet, .alone .sheet");
  const quoted = sheet?.querySelector(".quoted");
  if (!quoted) return;
  const [at, within] = [quoted.getBoundingClientRect(), sheet.getBoundingClientRect()];
  sheet.scrollTop += at.top - within.top - sheet.clientHeight / 3;
  sheet.scrollLeft += at.left - within.left - sheet.clientWidth / 4;
}

document.addEventListener("change", ({ target }) => {
  if (target.closest("[data-enter]")) keep("enter", target.checked && "yes");
  if (target.closest("[data-pin]")) keep("pin", target.checked && target.closest("[data-part]").dataset.part);
});
// The copy of a PDF, and which quotes it lacks.
async function download(link) {
  say("The PDF is being made");
  const found = await fetch(link.href).catch(() => undefined);
  if (!found?.ok) return location.assign(link.href);
  const made = element("a");
  made.href = URL.createObjectURL(await found.blob());
  made.download = /filename="([^"]+)"/.exec(found.headers.get("content-disposition"))?.[1] ?? "quotes.pdf";
  made.click();
  URL.revokeObjectURL(made.href);
  const lacks = found.headers.get("quotes-not-found");
  const text = lacks ? `In the PDF, ${lacks.split(",").length} of the quotes could not be highlighted: their places are not known.` : "The PDF has all quotes";
  say(text);
  if (lacks) link.closest("header").append(element("p", "problem", text));
}

document.addEventListener("click", async (event) => {
  const link = event.target.closest("[data-file], [data-close]");
  if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    event.preventDefault();
    if (link.matches("[data-file]")) return download(link);
    keep("pin");
    document.getElementById("pane").replaceChildren();
    history.pushState({}, "", link.href);
    here = location.pathname;
    return opened();
  }
  const zoomed = event.target.closest("[data-zoom]");
  if (zoomed) zoom(zoomed.dataset.zoom);
  const copied = event.target.closest("[data-copy], [data-fetch]");
  if (copied) {
    const { copy, fetch: file } = copied.dataset;
    const text = copy ?? (await fetch(file).then((found) => (found.ok ? found.text() : undefined)).catch(() => undefined));
    const done = text === undefined ? "Not copied" : await navigator.clipboard.writeText(text).then(() => "Copied", () => "Not copied");
    say(done);
    const name = copied.textContent;
    if (name !== done) { copied.textContent = done; setTimeout(() => { copied.textContent = name; }, 1500); }
  }
});

// --- Uploads: by drop, with the bytes that are sent; how far they are read and indexed, the server says.

function upload(form) {
  const input = form.querySelector("[type=file]");
  const [bar, said, button] = [form.querySelector("progress"), form.querySelector("[role=status]"), form.querySelector("button")];
  const tell = (text, wrong) => { said.textContent = text; said.classList.toggle("problem", Boolean(wrong)); };
  const other = [...input.files].filter(({ name }) => !input.accept.split(",").some((end) => name.toLowerCase().endsWith(end)));
  if (other.length) {
    return tell(`Nothing was sent: ${other.map(({ name }) => name).join(", ")} cannot be read as papers. Papers end with ${input.accept.replaceAll(",", ", ")}.`, true);
  }
  const mega = (bytes) => (bytes / 1e6).toFixed(1);
  const end = () => { bar.hidden = true; button.disabled = false; };
  const request = new XMLHttpRequest();
  request.open("POST", form.action);
  request.upload.onprogress = ({ loaded, total }) => {
    [bar.max, bar.value] = [total, loaded];
    tell(`Sending ${input.files.length === 1 ? input.files[0].name : `${input.files.length} files`}: ${mega(loaded)} of ${mega(total)} MB`);
  };
  request.upload.onload = () => tell("Sent. The server looks at it…");
  request.onload = () => {
    if (request.status === 200) return location.assign(request.responseURL);
    end();
    const page = new DOMParser().parseFromString(request.responseText, "text/html");
    const why = [...page.querySelectorAll(".problem p")].map((own) => own.textContent.trim()).join(". ");
    tell(`Nothing was added: ${why || `the server answered with ${request.status}`}.`, true);
  };
  request.onerror = () => { end(); tell("The connection ended before the files were sent.", true); };
  [bar.hidden, button.disabled] = [false, true];
  request.send(new FormData(form));
}
document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-upload]")) return;
  event.preventDefault();
  upload(event.target);
});
for (const kind of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, (event) => {
    const form = document.querySelector("[data-upload]");
    if (!form || !event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    form.classList.toggle("over", kind === "dragover");
    if (kind !== "drop") return;
    form.querySelector("[type=file]").files = event.dataTransfer.files;
    upload(form);
  });
}

// What needs scripts is hidden without them.
function ready(root) {
  for (const own of root.querySelectorAll("[data-zoom], [data-drop], [data-enter], [data-pin]")) own.hidden = false;
  for (const own of root.querySelectorAll("[data-enter] input")) own.checked = Boolean(kept("enter"));
  for (const own of root.querySelectorAll("[data-pin] input")) {
    own.checked = Boolean(kept("pin"));
    // The next page or quote is then the one that stays.
    if (own.checked) keep("pin", own.closest("[data-part]").dataset.part);
  }
  // Only a page of this machine, or one by HTTPS, may use the clipboard.
  for (const own of root.querySelectorAll("[data-copy], [data-fetch]")) own.hidden = !navigator.clipboard;
  globalThis.htmx?.process(root);
}
// The mark whose page is open, and the page within the window.
function opened() {
  const cite = new URLSearchParams(location.search).get("cite");
  for (const mark of document.querySelectorAll("a.mark")) mark.classList.toggle("active", mark.dataset.card === `card-${cite}`);
}
document.addEventListener("htmx:after:swap", (event) => {
  ready(document);
  hide();
  const pane = document.getElementById("pane");
  if (pane?.firstElementChild && event.target === pane && pane.getBoundingClientRect().top > innerHeight / 4) pane.scrollIntoView();
  toQuote();
});
let here = location.pathname + location.search;
document.addEventListener("htmx:after:history:update", () => { here = location.pathname + location.search; opened(); });
addEventListener("popstate", () => { if (location.pathname + location.search !== here) location.reload(); });
addEventListener("load", () => {
  ready(document);
  opened();
  toQuote();
  const pane = document.getElementById("pane");
  if (kept("pin")?.startsWith("/paper/") && pane && !pane.firstElementChild) htmx.ajax("GET", kept("pin"), { target: "#pane" });
});
