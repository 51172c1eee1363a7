import CarnetDescriptors
import CarnetFoundation

extension LintContext {
    /// The findings without those that a note about their key silences with its reason.
    func withoutExplained(_ findings: [Diagnostic]) -> [Diagnostic] {
        let notes = descriptor.notes
        guard !notes.isEmpty, findings.contains(where: { LintRuleCatalog.isReminder($0.code) }) else { return findings }
        let explained = Set(notes.map(\.about))
        return findings.filter { finding in
            guard LintRuleCatalog.isReminder(finding.code) else { return true }
            return !explained.contains(root.keyPath(around: finding.span).joined(separator: "."))
        }
    }
}

extension YAMLNode {
    /// The keys that lead to a place. An element of a list has the key of the list.
    fileprivate func keyPath(around span: SourceSpan) -> [String] {
        for entry in entries ?? [] where entry.keySpan.start <= span.start && span.end <= entry.value.span.end {
            return [entry.key] + entry.value.keyPath(around: span)
        }
        return []
    }
}
