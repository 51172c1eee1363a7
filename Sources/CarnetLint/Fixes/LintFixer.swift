package import CarnetDescriptors

/// Applies the safe fixes to the text of a file. Comments and layout stay unchanged.
package enum LintFixer {
    /// Applies the safe fixes of one file.
    ///
    /// Of two fixes that touch the same text, the first in the text is applied; lint again for the other. If the result
    /// would read worse than the file did, nothing is applied.
    package static func apply(to file: SourceFile, diagnostics: [Diagnostic]) -> (SourceFile, applied: Int) {
        let text = SourceText(file)
        var accepted = Replacements()
        var applied = 0
        for diagnostic in diagnostics.sorted() where diagnostic.file == file.path {
            guard let fix = diagnostic.fix, fix.applicability == .safe,
                let replacements = replacements(of: fix, in: text),
                replacements.allSatisfy({ !accepted.touch($0) })
            else { continue }
            for replacement in replacements { accepted.insert(replacement) }
            applied += 1
        }
        guard applied > 0 else { return (file, 0) }
        let fixed = SourceFile(path: file.path, bytes: accepted.applied(to: file.bytes))
        return readsWorse(fixed, than: file) ? (file, 0) : (fixed, applied)
    }

    /// Lints and fixes until nothing more can be fixed.
    package static func fix(_ file: SourceFile, with linter: Linter = Linter()) -> (SourceFile, applied: Int) {
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

        /// Two insertions at one place also touch: their order would be a guess. Two stretches side by side do not, so that
        /// many elements of one list can go at once.
        func touches(_ other: Replacement) -> Bool {
            guard !range.isEmpty, !other.range.isEmpty
            else { return range.lowerBound <= other.range.upperBound && other.range.lowerBound <= range.upperBound }
            return range.overlaps(other.range)
        }
    }

    /// Replacements that do not touch each other, in the order of the text.
    private struct Replacements {
        private var items: [Replacement] = []

        /// Whether one of them touches another replacement.
        func touch(_ other: Replacement) -> Bool {
            let next = index(for: other)
            return next < items.count && items[next].touches(other) || next > 0 && items[next - 1].touches(other)
        }

        mutating func insert(_ replacement: Replacement) { items.insert(replacement, at: index(for: replacement)) }

        func applied(to bytes: [UInt8]) -> [UInt8] {
            var result: [UInt8] = []
            var end = 0
            for item in items {
                result += bytes[end..<item.range.lowerBound] + Array(item.text.utf8)
                end = item.range.upperBound
            }
            return result + bytes[end...]
        }

        /// Where a replacement belongs: before the first that starts after it.
        private func index(for other: Replacement) -> Int {
            var low = 0
            var high = items.count
            while low < high {
                let middle = (low + high) / 2
                if items[middle].range.lowerBound <= other.range.lowerBound { low = middle + 1 } else { high = middle }
            }
            return low
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
        return after.root == nil && before.root != nil || after.descriptor == nil && before.descriptor != nil
            || after.diagnostics.count > before.diagnostics.count
    }
}
