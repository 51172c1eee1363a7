package import CarnetDescriptors

/// Every code that a diagnostic can have, with its page.
package enum DiagnosticCatalog {
    /// Sorted by code.
    package static let all: [DiagnosticExplanation] =
        (ReaderDiagnostics.all + DecoderDiagnostics.all + InheritanceDiagnostics.all + SuppressionDiagnostics.all + [
            DuplicateProvider.explanation, ExtendsClosedProvider.explanation,
        ]
        + BreakingChange.rules + SimulationDiagnostics.all + LintRuleCatalog.all.map(\.explanation))
        .sorted { $0.code < $1.code }

    /// The rule with a code or a name.
    ///
    /// - Parameter others: Rules about files of other kinds.
    /// - Throws: `UnknownRuleError` with the nearest codes.
    package static func rule(
        _ codeOrName: String, besides others: [DiagnosticExplanation] = []
    ) throws(UnknownRuleError) -> DiagnosticExplanation {
        let all = all + others
        let wanted = codeOrName.lowercased()
        if let rule = all.first(where: { $0.code.lowercased() == wanted || $0.name == wanted }) { return rule }
        let nearest = [nearestName(to: codeOrName, in: all.map(\.code)), nearestName(to: wanted, in: all.map(\.name))]
        throw UnknownRuleError(name: codeOrName, nearest: nearest.compactMap { $0 })
    }
}

/// A code that no rule has.
package struct UnknownRuleError: Error, Hashable, Sendable, CustomStringConvertible {
    package var name: String
    package var nearest: [String]

    package var description: String {
        let unknown = "no rule is called \"\(name)\""
        return nearest.isEmpty ? unknown : "\(unknown); did you mean \(nearest.joined(separator: " or "))?"
    }
}
