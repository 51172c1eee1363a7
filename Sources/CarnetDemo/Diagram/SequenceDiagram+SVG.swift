package import CarnetFoundation

extension SequenceDiagram {
    /// For a page that has `style`; each number leads to the step's text, at `#step-NUMBER`.
    var svg: HTML {
        element(
            HTML("role=\"group\" aria-labelledby=\"flow-title\""),
            title: "Sequence of \(steps.count) steps; details below"
        ) {
            "<a href=\"#step-\($0)\">\($1)</a>\n"
        }
    }

    /// For a file, which follows the reader's choice of dark or light.
    package func svgFile(title: String) -> HTML {
        let style: HTML = """
            <style>\
            :root{color-scheme:light dark;color:light-dark(#1a1a1a,#ececec);font-family:system-ui,sans-serif;\
            --page:light-dark(#f4f4f5,#121214);--line:light-dark(#c9c9cd,#46464d);--edge:light-dark(#767676,#8d8d8d);\
            --faint:light-dark(#595959,#b0b0b0);--link:light-dark(#0b4db0,#8ab4f8);}
            \(Self.style)</style>

            """
        return element(
            HTML("xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-labelledby=\"flow-title\""), title: title,
            style
        ) { "<g>\($1)</g>\n" }
    }

    /// The style sheet's rules for the classes of the picture.
    static let style: HTML = """
        .flow { font-size: 14px; fill: currentColor; }
        .flow .life { stroke: var(--line); stroke-dasharray: 4 4; }
        .flow .party { fill: var(--page); stroke: var(--edge); }
        .flow .arrow { stroke: currentColor; stroke-width: 1.5; }
        .flow .response { color: var(--faint); font-size: 12px; fill: var(--faint); }
        .flow .back { fill: var(--faint); }
        .flow .response .arrow { stroke-width: 1; stroke-dasharray: 5 4; }
        .flow a { color: var(--link); } .flow a text { fill: var(--link); } .flow .head { fill: var(--link); }

        """

    private static let width = 630
    private static let columns = [66, 232, 398, 564]
    private static let boxHalf = 60
    private static let boxHeight = 44
    private static let requestHeight = 42
    private static let responseHeight = 26

    private func element(
        _ attributes: HTML, title: String, _ style: HTML? = nil, _ request: (Int, HTML) -> HTML
    ) -> HTML {
        var y = Self.boxHeight + 8
        let drawn: [HTML] = arrows.map { arrow in
            y += arrow.number == nil ? Self.responseHeight : Self.requestHeight
            let line = Self.line(arrow, y)
            return arrow.number.map { request($0, line) } ?? "<g class=\"response\">\(line)</g>\n"
        }
        let height = y + 24
        return """
            <svg viewBox="0 0 \(Self.width) \(height)" \(attributes) class="flow">
            <title id="flow-title">\(title)</title>
            \(style)\
            <defs>\(Self.marker("head"))\(Self.marker("back"))</defs>
            \(Party.allCases.map { Self.party($0, down: height - 6) })\
            \(drawn)\
            </svg>
            """
    }

    private static func party(_ party: Party, down end: Int) -> HTML {
        let x = columns[party.rawValue]
        let first = boxHeight / 2 + (party.name.count == 1 ? 9 : 1)
        let lines: [HTML] = party.name.enumerated().map { number, text in
            "<tspan x=\"\(x)\" y=\"\(first + 17 * number)\">\(text)</tspan>"
        }
        return """
            <line x1="\(x)" y1="\(boxHeight + 4)" x2="\(x)" y2="\(end)" class="life"/>\
            <rect x="\(x - boxHalf)" y="4" width="\(2 * boxHalf)" height="\(boxHeight)" rx="6" class="party"/>\
            <text text-anchor="middle">\(lines)</text>

            """
    }

    private static func marker(_ name: String) -> HTML {
        """
        <marker id="\(name)" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" \
        orient="auto"><path d="M0 0 8 4 0 8z" class="\(name)"/></marker>
        """
    }

    /// An arrow with its text above, beside the line that it starts at, where no other line crosses it.
    private static func line(_ arrow: Arrow, _ y: Int) -> HTML {
        let (start, end) = (columns[arrow.from.rawValue], columns[arrow.to.rawValue])
        let (x, anchor) = start < end ? (start + 10, "start") : (start - 10, "end")
        return """
            <line x1="\(start)" y1="\(y)" x2="\(end)" y2="\(y)" class="arrow" \
            marker-end="url(#\(arrow.number == nil ? "back" : "head"))"/>\
            <text x="\(x)" y="\(y - 7)" text-anchor="\(anchor)">\(arrow.text)</text>
            """
    }
}
