/// A form in which findings are shown.
package protocol Reporter: Sendable {
    /// The whole output, with a line break at its end.
    func render(_ report: LintReport) -> String
}

/// The formats of a report, as in `carnet lint --format`.
package enum ReportFormat: String, CaseIterable, Sendable {
    case text, json, sarif, github

    package func reporter(usesColor: Bool = false) -> any Reporter {
        switch self {
        case .text: TextReporter(usesColor: usesColor)
        case .json: JSONReporter()
        case .sarif: SARIFReporter()
        case .github: GitHubReporter()
        }
    }
}
