import CarnetCrypto
import CarnetDescriptors
import CarnetFoundation

extension HTMLPage {
    /// The style sheet of the page; one brand's pages have its colour.
    var style: HTML {
        """
        :root { color-scheme: light dark; --line: light-dark(#767676, #8d8d8d);
                --brand: \(color?.description ?? "light-dark(#444444, #bbbbbb)"); }
        * { box-sizing: border-box; }
        body { font: 1rem/1.5 system-ui, sans-serif; margin: 0; padding: 1rem; overflow-wrap: anywhere;
               background: light-dark(#f4f4f5, #121214); color: light-dark(#1a1a1a, #ececec); }
        main { max-width: 36rem; margin: 1rem auto; padding: .5rem 1.5rem 1.5rem; border: 1px solid var(--line);
               border-top: .5rem solid var(--brand); border-radius: .75rem; background: light-dark(#fff, #1d1d20); }
        h1 { font-size: 1.5rem; line-height: 1.25; }
        fieldset { margin: 1rem 0; padding: .5rem 1rem; border: 1px solid var(--line); border-radius: .5rem; }
        legend { font-weight: 600; padding: 0 .25rem; }
        label { display: flex; gap: .6rem; align-items: baseline; padding: .3rem 0; }
        label.above { display: block; font-weight: 600; }
        select { font: inherit; width: 100%; padding: .5rem; margin-top: .25rem; }
        button, input[type=text], input:not([type]) { font: inherit; min-height: 2.75rem; padding: .5rem 1.25rem; }
        button { margin: .5rem .5rem 0 0; border: 1px solid var(--line); border-radius: .5rem; cursor: pointer; }
        :focus-visible { outline: 3px solid light-dark(#0645ad, #8ab4f8); outline-offset: 2px; }
        """
    }

    /// Nothing runs, and nothing is loaded, but for the page's own style sheet.
    var contentSecurityPolicy: String {
        let hash = Data(SHA256.hash(data: Array(style.text.utf8))).base64EncodedString()
        let frames = framedOrigin.map { "; frame-src \($0)" } ?? ""
        return "default-src 'none'; style-src 'sha256-\(hash)'; frame-ancestors 'none'; base-uri 'none'\(frames)"
    }
}
