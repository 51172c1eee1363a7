public import CarnetDescriptors

/// Applies the fixes that are certain to the text itself, so that comments and layout stay as they are.
public enum LintFixer {
    /// Applies the safe fixes of one file, from its end backwards.
    ///
    /// Of two fixes that touch the same text, the first in the text is applied; lint again for the other. If the result
    /// would read worse than the file did, nothing is applied.
    public static func apply(to file: SourceFile, diagnostics: [Diagnostic]) -> (SourceFile, applied: Int) {
        let text = SourceText(file)
        var accepted: [[Replacement]] = []
        for diagnostic in diagnostics.sorted() where diagnostic.file == file.path {
            guard let fix = diagnostic.fix, fix.applicability == .safe,
                let replacements = replacements(of: fix, in: text),
                !accepted.joined().contains(where: { old in replacements.contains { $0.touches(old) } })
            else { continue }
            accepted.append(replacements)
        }
        guard !accepted.isEmpty else { return (file, 0) }
        var bytes = file.bytes
        for replacement in accepted.joined().sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
            bytes.replaceSubrange(replacement.range, with: replacement.text.utf8)
        }
        let fixed = SourceFile(path: file.path, bytes: bytes)
        return readsWorse(fixed, than: file) ? (file, 0) : (fixed, accepted.count)
    }

    /// Lints and fixes until nothing more can be fixed.
    public static func fix(_ file: SourceFile, with linter: Linter = Linter()) -> (SourceFile, applied: Int) {
        var file = file
        var applied = 0
        // Each round mends something for good; the bound is for rules that should contradict each other.
        for _ in 0..<10 {
            let (fixed, count) = apply(to: file, diagnostics: linter.lint(files: [file]).diagnostics)
            guard count > 0 else { break }
            file = fixed
            applied += count
        }
        return (file, applied)
    }

    private struct Replacement {
        var range: Range<Int>
        var text: String

        /// Two insertions at one place also touch: their order would be a guess.
        func touches(_ other: Replacement) -> Bool {
            range.lowerBound <= other.range.upperBound && other.range.lowerBound <= range.upperBound
        }
    }

    /// `nil` if a fix has no place in the text or its own edits overlap.
    private static func replacements(of fix: Fix, in text: SourceText) -> [Replacement]? {
        var replacements: [Replacement] = []
        for edit in fix.edits {
            guard let range = text.range(of: edit.span) else { return nil }
            let replacement = Replacement(range: range, text: edit.replacement)
            guard !replacements.contains(where: replacement.touches) else { return nil }
            replacements.append(replacement)
        }
        return replacements.isEmpty ? nil : replacements
    }

    /// Whether the reader and the decoder find something in `new` that they did not find in `old`.
    private static func readsWorse(_ new: SourceFile, than old: SourceFile) -> Bool {
        let before = DescriptorDocument(old)
        let after = DescriptorDocument(new)
        if after.root == nil, before.root != nil { return true }
        if after.descriptor == nil, before.descriptor != nil { return true }
        return after.diagnostics.count > before.diagnostics.count
    }
}
