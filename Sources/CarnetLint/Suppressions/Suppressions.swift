import CarnetDescriptors

/// The comments of one file that silence findings.
///
/// `# carnet-lint-disable-next-line CODE: reason` is about the next line that is not a comment,
/// `# carnet-lint-disable CODE: reason` about the whole file.
struct Suppressions {
    private struct Suppression {
        var code: String
        /// `nil`: the whole file.
        var line: Int?
        var span: SourceSpan
    }

    private let path: String
    private var suppressions: [Suppression] = []
    private var problems: [Diagnostic] = []

    init(_ document: DescriptorDocument) {
        path = document.file.path
        let commentOnly = Self.commentLines(document)
        for comment in document.comments { read(comment, commentLines: commentOnly) }
    }

    /// The findings that no comment silences, and the comments that are wrong themselves.
    func filter(_ findings: [Diagnostic]) -> [Diagnostic] {
        var used = Set<Int>()
        let kept = findings.filter { finding in
            let matches = suppressions.indices.filter { index in
                let suppression = suppressions[index]
                return suppression.code == finding.code
                    && (suppression.line == nil || suppression.line == finding.span.start.line)
            }
            used.formUnion(matches)
            return matches.isEmpty
        }
        let unused = suppressions.indices.filter { !used.contains($0) }.map { index in
            SuppressionRules.unused.diagnostic(
                "there is no \(suppressions[index].code) to suppress here",
                file: path,
                span: suppressions[index].span,
                help: "remove the comment"
            )
        }
        return kept + problems + unused
    }

    private static let marker = "carnet-lint-disable"

    private mutating func read(_ comment: YAMLComment, commentLines: Set<Int>) {
        guard comment.text.hasPrefix(Self.marker) else { return }
        var rest = comment.text.dropFirst(Self.marker.count)
        var line: Int?
        if rest.hasPrefix("-next-line") {
            rest = rest.dropFirst("-next-line".count)
            var next = comment.span.start.line + 1
            while commentLines.contains(next) { next += 1 }
            line = next
        }
        guard rest.first == " ", let colon = rest.firstIndex(of: ":") else { return report(comment) }
        let codes = rest[..<colon].split { $0 == " " || $0 == "," }.map(String.init)
        let reason = rest[rest.index(after: colon)...].drop { $0 == " " }
        guard !codes.isEmpty, !reason.isEmpty, codes.allSatisfy(Self.isCode) else { return report(comment) }
        for code in codes {
            if LintRules.isSuppressible(code) {
                suppressions.append(Suppression(code: code, line: line, span: comment.span))
            } else {
                problems.append(
                    SuppressionRules.unused.diagnostic(
                        "\(code) cannot be suppressed",
                        file: path,
                        span: comment.span,
                        help: "only rules about what a descriptor means can"
                    )
                )
            }
        }
    }

    private mutating func report(_ comment: YAMLComment) {
        problems.append(
            SuppressionRules.withoutReason.diagnostic(
                "this comment suppresses nothing, because it lacks a code or a reason",
                file: path,
                span: comment.span,
                help: "write '# \(Self.marker)-next-line E001: why it has to be so'"
            )
        )
    }

    private static func isCode(_ text: String) -> Bool {
        text.utf8.count == 4 && text.first?.isUppercase == true && text.dropFirst().allSatisfy(\.isNumber)
    }

    /// The lines that hold a comment and nothing else.
    private static func commentLines(_ document: DescriptorDocument) -> Set<Int> {
        let text = SourceText(document.file)
        return Set(
            document.comments.map(\.span.start).filter { start in
                text.line(start.line)?.unicodeScalars.prefix(start.column - 1).allSatisfy { $0 == " " || $0 == "\t" }
                    ?? false
            }.map(\.line)
        )
    }
}
