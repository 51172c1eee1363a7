public import CarnetDescriptors

/// Every code that a diagnostic can have, with its page.
public enum RuleCatalog {
    /// Sorted by code.
    public static let all: [RuleExplanation] =
        (ReaderRules.all + DecoderRules.all + InheritanceRules.all + SuppressionRules.all + [
            DuplicateProvider.explanation
        ]
        + SimulationRules.all + LintRules.all.map(\.explanation))
        .sorted { $0.code < $1.code }

    /// The rule with a code or a name.
    ///
    /// - Throws: `UnknownRuleError` with the nearest codes.
    public static func rule(_ codeOrName: String) throws(UnknownRuleError) -> RuleExplanation {
        let wanted = codeOrName.lowercased()
        if let rule = all.first(where: { $0.code.lowercased() == wanted || $0.name == wanted }) { return rule }
        let nearest = [nearestName(to: codeOrName, in: all.map(\.code)), nearestName(to: wanted, in: all.map(\.name))]
        throw UnknownRuleError(name: codeOrName, nearest: nearest.compactMap { $0 })
    }
}

/// A code that no rule has.
public struct UnknownRuleError: Error, Hashable, Sendable, CustomStringConvertible {
    public var name: String
    public var nearest: [String]

    public var description: String {
        let unknown = "no rule is called \"\(name)\""
        return nearest.isEmpty ? unknown : "\(unknown); did you mean \(nearest.joined(separator: " or "))?"
    }
}
