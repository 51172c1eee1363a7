"use strict";
const text = document.getElementById("text");
const summary = document.getElementById("summary");
const findings = document.getElementById("findings");
const trial = document.getElementById("trial");
let timer;
let running;

function say(sentence, found) {
  if (summary.textContent !== sentence) summary.textContent = sentence;
  findings.replaceChildren(...found);
}

async function lint() {
  if (running) running.abort();
  running = new AbortController();
  try {
    const body = new URLSearchParams({ text: text.value });
    const response = await fetch("/descriptor/lint", { method: "POST", body, signal: running.signal });
    if (!response.ok) return say("The server cannot check this text.", []);
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    say(page.getElementById("summary").textContent, page.getElementById("findings").children);
  } catch (error) {
    if (error.name !== "AbortError") say("The server is not reachable.", []);
  }
}

findings.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-line]");
  if (!link) return;
  event.preventDefault();
  const lines = text.value.split("\n");
  const number = link.dataset.line - 1;
  const start = lines.slice(0, number).reduce((length, line) => length + line.length + 1, 0);
  text.focus();
  text.setSelectionRange(start, start + lines[number].length);
  text.scrollTop = text.scrollHeight * (number - 2) / lines.length;
});

text.addEventListener("input", () => {
  if (trial) trial.hidden = true;
  clearTimeout(timer);
  timer = setTimeout(lint, 250);
});
