import CarnetDescriptors
import CarnetFoundation

extension LintContext {
    /// The findings without those that a note about their key silences with its reason. The others say which key that is.
    func withoutExplained(_ findings: [Diagnostic]) -> [Diagnostic] {
        guard findings.contains(where: { LintRuleCatalog.isReminder($0.code) }) else { return findings }
        let explained = Set(descriptor.notes.map(\.about))
        return findings.compactMap { finding in
            guard LintRuleCatalog.isReminder(finding.code) else { return finding }
            let key = root.keyPath(around: finding.span).joined(separator: ".")
            guard !explained.contains(key) else { return nil }
            var finding = finding
            let note = "a note with 'about: \(key)' and a reason silences this"
            finding.help = finding.help.map { "\($0); \(note)" } ?? note
            return finding
        }
    }
}

extension YAMLNode {
    /// The keys that lead to a place. An element of a list has the key of the list.
    func keyPath(around span: SourceSpan) -> [String] {
        for entry in entries ?? [] where entry.keySpan.start <= span.start && span.end <= entry.value.span.end {
            return [entry.key] + entry.value.keyPath(around: span)
        }
        return []
    }
}

extension SourceSpan {
    func contains(_ other: SourceSpan) -> Bool { start <= other.start && other.end <= end }
}
