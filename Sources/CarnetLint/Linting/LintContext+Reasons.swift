import CarnetDescriptors
import CarnetFoundation

extension LintContext {
    /// The findings without those that a note about their key silences with its reason, or whose key has no effect. The
    /// others say which key that is.
    func withoutExplained(_ findings: [Diagnostic]) -> [Diagnostic] {
        guard findings.contains(where: { LintRuleCatalog.isReminder($0.code) }) else { return findings }
        let idle = findings.filter { $0.code == "K106" }.map { root.keyPath(around: $0.span) }
        return findings.compactMap { finding in
            guard LintRuleCatalog.isReminder(finding.code) else { return finding }
            let path = root.keyPath(around: finding.span)
            let key = path.joined(separator: ".")
            guard !idle.contains(where: path.starts), !isExplained(key), !isExplainedByParent(key, at: finding.span)
            else { return nil }
            var finding = finding
            let note = "a note with 'about: \(notedKey(key, at: finding.span))' and a reason silences this"
            finding.help = finding.help.map { "\($0); \(note)" } ?? note
            return finding
        }
    }

    /// Whether a note has the reason for a key, of the descriptor or of this environment of it.
    func isExplained(_ key: String) -> Bool {
        descriptor.notes.contains { [key, keyInEnvironment(key)].contains($0.about) }
    }

    /// Whether a note in the file that an inherited value is from has the reason.
    private func isExplainedByParent(_ key: String, at span: SourceSpan) -> Bool {
        document.isInherited(span)
            && sequence(first: document, next: \.parent).dropFirst()
                .contains { $0.descriptor?.notes.contains { [key, keyInEnvironment(key)].contains($0.about) } == true }
    }

    /// How a note names the key of a value: one that an environment has itself is below its name.
    func notedKey(_ key: String, at span: SourceSpan) -> String {
        document.ownRoot?.span.contains(span) == true ? keyInEnvironment(key) : key
    }

    private func keyInEnvironment(_ key: String) -> String {
        descriptor.environment.map { "environments.\($0).\(key)" } ?? key
    }
}

extension YAMLNode {
    /// The keys that lead to a place. An element of a list has the key of the list. In an environment, a part of a section
    /// can be inherited from elsewhere.
    func keyPath(around span: SourceSpan) -> [String] {
        for entry in entries ?? [] {
            let below = entry.value.keyPath(around: span)
            let isAround = entry.keySpan.start <= span.start && span.end <= entry.value.span.end
            if isAround || !below.isEmpty { return [entry.key] + below }
        }
        return []
    }
}

extension SourceSpan {
    func contains(_ other: SourceSpan) -> Bool { start <= other.start && other.end <= end }
}
