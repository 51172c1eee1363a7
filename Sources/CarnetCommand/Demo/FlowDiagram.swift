import CarnetDescriptors
import CarnetFoundation

/// The steps of a sign-in as a sequence diagram in SVG. Each number leads to the step's text.
struct FlowDiagram {
    let steps: [FlowLog.Step]

    private static let width = 630
    private static let columns = [66, 232, 398, 564]
    private static let names = [["Browser"], ["App"], ["Authorization", "server"], ["Resource", "server"]]
    private static let boxHalf = 60
    private static let boxHeight = 44
    private static let requestHeight = 42
    private static let answerHeight = 26

    var svg: HTML {
        var arrows: [HTML] = []
        var y = Self.boxHeight + 8
        for (index, step) in steps.enumerated() {
            y += Self.requestHeight
            let request = Self.arrow("\(index + 1). \(step.title)", step.from, step.to, y)
            arrows.append("<a href=\"#step-\(index + 1)\">\(request)</a>\n")
            for (asked, summary) in responses(after: index) {
                y += Self.answerHeight
                let response = Self.arrow(summary, asked.to, asked.from, y, head: "back")
                arrows.append("<g class=\"response\">\(response)</g>\n")
            }
        }
        let height = y + 24
        return """
            <svg viewBox="0 0 \(Self.width) \(height)" role="group" aria-labelledby="flow-title" class="flow">
            <title id="flow-title">Sequence of \(steps.count) steps; details below</title>
            <defs>\(Self.marker("head"))\(Self.marker("back"))</defs>
            \(zip(Self.columns, Self.names).map { Self.party($1, at: $0, down: height - 6) })\
            \(arrows)\
            </svg>
            """
    }

    /// The responses after a step: its own, and those of earlier steps that had to wait for it.
    private func responses(after index: Int) -> [(step: FlowLog.Step, summary: String)] {
        steps[...index].enumerated().reversed().compactMap { place, step in
            step.summary.flatMap { place + step.nested == index ? (step, $0) : nil }
        }
    }

    /// Whose line it is, in one or two lines of text.
    private static func party(_ name: [String], at x: Int, down end: Int) -> HTML {
        let first = boxHeight / 2 + (name.count == 1 ? 9 : 1)
        let lines: [HTML] = name.enumerated().map { number, text in
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
    private static func arrow(
        _ text: String, _ from: FlowLog.Step.Party, _ to: FlowLog.Step.Party, _ y: Int, head: String = "head"
    ) -> HTML {
        let (start, end) = (columns[from.rawValue], columns[to.rawValue])
        let (x, anchor) = start < end ? (start + 10, "start") : (start - 10, "end")
        return """
            <line x1="\(start)" y1="\(y)" x2="\(end)" y2="\(y)" class="arrow" marker-end="url(#\(head))"/>\
            <text x="\(x)" y="\(y - 7)" text-anchor="\(anchor)">\(text)</text>
            """
    }
}
