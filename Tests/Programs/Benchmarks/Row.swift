import CarnetDescriptors
import CarnetFoundation
import Foundation

/// One line of the results.
struct Row {
    let work: String
    /// Empty if the number is no ratio.
    let comparedWith: String
    let unit: String
    /// In ascending order.
    let values: [Double]
    /// No more than this is aimed at.
    let goal: Double?
    let detail: String

    init(
        work: String, comparedWith: String = "", unit: String, values: [Double], goal: Double? = nil,
        detail: String = ""
    ) {
        self.work = work
        self.comparedWith = comparedWith
        self.unit = unit
        self.values = values.sorted()
        self.goal = goal
        self.detail = detail
    }

    var median: Double { Comparison.median(values) }

    private static func text(_ value: Double) -> String { String(format: value < 100 ? "%.3g" : "%.0f", value) }

    var measured: String {
        "\(Self.text(median)) \(unit) (\(Self.text(values.first ?? 0)) to \(Self.text(values.last ?? 0)))"
    }

    var verdict: String {
        guard let goal else { return "–" }
        return "at most \(Self.text(goal)): " + (median <= goal ? "met" : "missed")
    }

    var line: String {
        ([work, comparedWith, measured] + (goal == nil ? [] : [verdict]) + [detail])
            .filter { !$0.isEmpty }.joined(separator: "; ")
    }

    var json: JSONValue {
        func number(_ value: Double) -> JSONValue { .number(String(value)) }
        return [
            "work": .string(work), "comparedWith": .string(comparedWith), "unit": .string(unit),
            "median": number(median), "minimum": number(values.first ?? 0), "maximum": number(values.last ?? 0),
            "goal": goal.map(number) ?? .null, "detail": .string(detail),
        ]
    }

    /// A table of a page.
    static func table(_ rows: [Row]) -> String {
        (["| work | compared with | measured | goal | cost of each |", "|---|---|---|---|---|"]
            + rows.map { "| \($0.work) | \($0.comparedWith) | \($0.measured) | \($0.verdict) | \($0.detail) |" })
            .joined(separator: "\n")
    }
}
