/// The steps of a sign-in as a sequence diagram in SVG. Each number leads to the step's text.
struct FlowDiagram {
    let steps: [FlowLog.Step]

    private static let columns = [80, 300, 520, 740]
    private static let names = ["Browser", "App", "Authorization server", "Resource server"]
    private static let boxHalf = 76
    private static let top = 56
    private static let rowHeight = 44

    var svg: String {
        let height = Self.top + Self.rowHeight * (steps.count + 1)
        var parts = [
            "<svg viewBox=\"0 0 820 \(height)\" role=\"group\" aria-labelledby=\"flow-title\" class=\"flow\">",
            "<title id=\"flow-title\">Sequence of \(steps.count) steps; each is told in full below</title>",
            "<defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" "
                + "orient=\"auto\"><path d=\"M0 0 8 4 0 8z\" class=\"head\"/></marker></defs>",
        ]
        for (x, name) in zip(Self.columns, Self.names) {
            parts.append(
                """
                <line x1="\(x)" y1="36" x2="\(x)" y2="\(height - 6)" class="life"/>\
                <rect x="\(x - Self.boxHalf)" y="4" width="\(2 * Self.boxHalf)" height="32" rx="6" class="party"/>\
                <text x="\(x)" y="25" text-anchor="middle">\(name)</text>
                """)
        }
        for (index, step) in steps.enumerated() {
            let y = Self.top + Self.rowHeight * (index + 1) - 14
            let (from, to) = (Self.columns[step.from.rawValue], Self.columns[step.to.rawValue])
            let title = DemoPages.escape(step.title)
            // Beside the line that it starts at, where no other line crosses it.
            let (x, anchor) = from < to ? (from + 10, "start") : (from - 10, "end")
            parts.append(
                """
                <a href="#step-\(index + 1)"><line x1="\(from)" y1="\(y)" x2="\(to)" y2="\(y)" class="arrow" \
                marker-end="url(#head)"/><text x="\(x)" y="\(y - 7)" text-anchor="\(anchor)">\(index + 1). \(title)\
                </text></a>
                """)
        }
        return parts.joined(separator: "\n") + "\n</svg>"
    }

    var rows: [[String: Any]] {
        steps.enumerated().map { index, step in
            [
                "number": index + 1, "title": step.title, "key": step.key, "request": step.request,
                "response": step.response ?? "(the browser's own way: the app sees no response)",
            ]
        }
    }
}
