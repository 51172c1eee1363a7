import Carnet
import CarnetWeb

/// What the pages of the demonstration load, from here alone.
enum DemoAssets {
    /// The colours of the sign-in buttons: a style sheet, because style attributes are not allowed.
    static func brands(_ providers: [Provider]) -> String {
        providers.map { provider in
            guard let color = provider.display.color else { return "" }
            return
                "\n.brand-\(provider.id) { background: \(color); color: \(color.textColor); }"
        }.joined()
    }

    static let icon = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#2457a6"/>\
        <path d="M10 15v-3a6 6 0 0 1 12 0v3M8 15h16v11H8z" fill="none" stroke="#fff" stroke-width="3"/></svg>
        """

    /// Lints while somebody types. Without it the form does the same.
    static let script = """
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
          const lines = text.value.split("\\n");
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

        """

    static let style = """
        :root {
          color-scheme: light dark;
          --page: light-dark(#f4f4f5, #121214); --card: light-dark(#ffffff, #1d1d20);
          --text: light-dark(#1a1a1a, #ececec); --faint: light-dark(#595959, #b0b0b0);
          --line: light-dark(#c9c9cd, #46464d); --edge: light-dark(#767676, #8d8d8d);
          --link: light-dark(#0b4db0, #8ab4f8); --plain: light-dark(#3a3a40, #d8d8dc);
          --alert: light-dark(#fdecea, #3b1d1b); --alert-edge: light-dark(#b3261e, #f2a19b);
        }
        * { box-sizing: border-box; }
        body { font: 1rem/1.5 system-ui, sans-serif; margin: 0; background: var(--page); color: var(--text);
               overflow-wrap: anywhere; }
        header, main { max-width: 60rem; margin: 0 auto; padding: 0 1rem; }
        header { padding: 1rem; }
        header nav { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; align-items: center; }
        header img { width: 1.5rem; height: 1.5rem; vertical-align: -.35rem; margin-right: .5rem; }
        header .site { font-weight: 700; color: inherit; text-decoration: none; }
        main { padding-bottom: 3rem; }
        h1 { font-size: 1.75rem; line-height: 1.2; margin: .5rem 0 1rem; }
        h2 { font-size: 1.25rem; line-height: 1.3; margin: 1.5rem 0 .5rem; }
        .card > h2:first-child { margin-top: 0; }
        h3 { font-size: 1rem; margin: 0 0 .5rem; }
        a { color: var(--link); }
        .faint { color: var(--faint); font-size: .9rem; }
        :focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
        ul.cards { list-style: none; padding: 0; display: grid; gap: 1rem;
                   grid-template-columns: repeat(auto-fill, minmax(min(100%, 17rem), 1fr)); }
        ul.cards li, .card { background: var(--card); border: 1px solid var(
            --line); border-radius: .75rem; padding: 1rem; }
        ul.cards li { display: flex; flex-direction: column; gap: .5rem; }
        ul.cards h2, ul.cards h3, ul.cards p { margin: 0; }
        ul.cards form:last-child, ul.cards .row:last-child { margin-top: auto; }
        ul.cards li > form button { width: 100%; }
        button, input, textarea, select { font: inherit; color: inherit; max-width: 100%; border-radius: .5rem;
               border: 1px solid var(--edge); background: var(--card); padding: .5rem .9rem; }
        button, a.button { min-height: 2.75rem; cursor: pointer; font-weight: 600; }
        a.button { display: inline-flex; align-items: center; padding: .5rem .9rem; border: 1px solid var(--edge);
               border-radius: .5rem; text-decoration: none; }
        button:hover, a.button:hover { filter: brightness(1.1); }
        .brand { background: var(--plain); color: light-dark(#ffffff, #1a1a1a); }
        .initials { display: flex; flex-wrap: wrap; gap: .25rem .75rem; margin-block: 1rem; }
        .initials a { min-width: 1.5rem; min-height: 1.5rem; text-align: center; }
        .row { display: flex; flex-wrap: wrap; gap: .5rem; align-items: end; margin: 0; }
        .row label { width: 100%; }
        .row input, .row select { flex: 1 1 14rem; max-width: 36rem; min-height: 2.75rem; }
        label { font-weight: 600; }
        main > .card { margin: 0 0 1rem; }
        textarea { display: block; width: 100%; margin-top: .25rem; min-height: 12rem; max-height: 70vh; field-sizing: content;
               font-family: ui-monospace, monospace; font-size: .95rem; tab-size: 2; }
        form { margin: 0; }
        nav.tabs { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; border-bottom: 1px solid var(--line);
               margin-bottom: 1rem; }
        nav.tabs a { padding: .6rem 0; text-decoration: none; border-bottom: 3px solid transparent; }
        nav.tabs a[aria-current] { font-weight: 700; color: var(--text); border-bottom-color: var(--link); }
        dd .faint { white-space: nowrap; }
        .person { display: flex; flex-wrap: wrap; gap: 1.25rem; align-items: start; }
        .person img { width: 6rem; height: 6rem; border-radius: .75rem; object-fit: cover; border: 1px solid var(
            --line); }
        .person dl { flex: 1 1 16rem; margin: 0; }
        dl { display: grid; grid-template-columns: minmax(5rem, auto) 1fr; gap: .35rem 1.25rem; }
        dt { font-weight: 600; } dd { margin: 0; }
        pre { overflow-x: auto; white-space: pre-wrap; margin: 0; font-size: .9rem; }
        pre, code { font-family: ui-monospace, monospace; }
        details { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; margin: .5rem 0;
               padding: 0 1rem; }
        summary { padding: .75rem 0; cursor: pointer; }
        details[open] { padding-bottom: 1rem; }
        details h2 { font-size: 1rem; margin: .75rem 0 .25rem; scroll-margin-top: 4rem; }
        [role=alert] { background: var(--alert); border: 1px solid var(--alert-edge); border-radius: .5rem;
               padding: .75rem 1rem; margin: 0 0 1.5rem; }
        [role=alert] > :first-child { margin-top: 0; }
        #findings ul { list-style: none; margin: 0; padding: 0; }
        .finding { border-left: .25rem solid var(--edge); padding-left: .75rem; margin: 0 0 1rem; }
        .finding.error { border-color: var(--alert-edge); }
        .finding p, .finding pre { margin: 0 0 .25rem; }
        mark { background: var(--alert); color: inherit; text-decoration: underline wavy var(--alert-edge);
               text-underline-offset: .25em; }
        .skip { position: absolute; left: -100rem; }
        .skip:focus { position: static; }
        .scroll { overflow-x: auto; background:
                 linear-gradient(90deg, var(--card) 40%, transparent) 0 0 / 3rem 100% no-repeat local,
                 linear-gradient(270deg, var(--card) 40%, transparent) 100% 0 / 3rem 100% no-repeat local,
                 linear-gradient(90deg, var(--edge), transparent) 0 0 / .75rem 100% no-repeat scroll,
                 linear-gradient(270deg, var(--edge), transparent) 100% 0 / .75rem 100% no-repeat scroll, var(--card);
               border: 1px solid var(--line); border-radius: .75rem;
               padding: .5rem; }
        .flow { display: block; width: 100%; min-width: 36rem; max-width: 48rem; height: auto; margin: 0 auto; }
        \(SequenceDiagram.style.text)\
        .visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
        """
}
