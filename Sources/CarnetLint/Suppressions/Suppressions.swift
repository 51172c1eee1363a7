import CarnetDescriptors

/// The comments of one file that silence findings.
///
/// `# carnet-lint-disable-next-line CODE: reason` is about the next line that is not a comment,
/// `# carnet-lint-disable CODE: reason` about the whole file.
struct Suppressions {
    private struct Target: Hashable {
        var code: String
        /// `nil`: the whole file.
        var line: Int?
    }

    private struct Suppression {
        var target: Target
        var span: SourceSpan
    }

    private let path: String
    private let isSuppressible: (String) -> Bool
    private var suppressions: [Suppression] = []
    private var problems: [Diagnostic] = []

    /// - Parameter isSuppressible: Whether a comment may silence the rule with a code.
    init(_ file: SourceFile, _ comments: [YAMLComment], isSuppressible: @escaping (String) -> Bool) {
        path = file.path
        self.isSuppressible = isSuppressible
        guard comments.contains(where: { $0.text.hasPrefix(Self.marker) }) else { return }
        let nextLine = Self.nextLines(file, comments)
        for comment in comments { read(comment, nextLine: nextLine) }
    }

    /// The findings that no comment silences, and the comments that are wrong themselves.
    ///
    /// - Parameters:
    ///   - simulated: Whether a simulation ran; without one, a comment about it cannot be called unused.
    ///   - isWhole: Whether all rules were asked; if not, no comment can.
    func filter(_ findings: [Diagnostic], simulated: Bool, isWhole: Bool) -> [Diagnostic] {
        guard !suppressions.isEmpty else { return findings + problems }
        let targets = Set(suppressions.map(\.target))
        var used = Set<Target>()
        let kept = findings.filter { finding in
            let matching = [nil, finding.span.start.line].map { Target(code: finding.code, line: $0) }
                .filter(targets.contains)
            used.formUnion(matching)
            return matching.isEmpty
        }
        let unused = suppressions.filter { suppression in
            isWhole && !used.contains(suppression.target)
                && (simulated || !SimulationDiagnostics.codes.contains(suppression.target.code))
        }.map { suppression in
            SuppressionDiagnostics.unused.diagnostic(
                "there is no \(suppression.target.code) to suppress here", file: path, span: suppression.span,
                help: "remove the comment")
        }
        return kept + problems + unused
    }

    private static let marker = "carnet-lint-disable"

    private mutating func read(_ comment: YAMLComment, nextLine: [Int: Int]) {
        guard comment.text.hasPrefix(Self.marker) else { return }
        var rest = comment.text.dropFirst(Self.marker.count)
        var line: Int?
        if rest.hasPrefix("-next-line") {
            rest = rest.dropFirst("-next-line".count)
            line = nextLine[comment.span.start.line]
        }
        guard rest.first == " ", let colon = rest.firstIndex(of: ":") else { return report(comment) }
        let codes = rest[..<colon].split { $0 == " " || $0 == "," }.map(String.init)
        let reason = rest[rest.index(after: colon)...].drop { $0 == " " }
        guard !codes.isEmpty, !reason.isEmpty, codes.allSatisfy(Self.isCode) else { return report(comment) }
        for code in codes {
            if isSuppressible(code) {
                suppressions.append(Suppression(target: Target(code: code, line: line), span: comment.span))
            } else {
                problems.append(
                    SuppressionDiagnostics.unused.diagnostic(
                        "\(code) cannot be suppressed", file: path, span: comment.span,
                        help: BreakingChange.rules.contains { $0.code == code }
                            ? "a new note about the key accepts a change"
                            : "only rules about the meaning of a descriptor can be"))
            }
        }
    }

    private mutating func report(_ comment: YAMLComment) {
        problems.append(
            SuppressionDiagnostics.withoutReason.diagnostic(
                "this comment suppresses nothing, because it lacks a code or a reason", file: path, span: comment.span,
                help: "write '# \(Self.marker)-next-line E001: the reason'"))
    }

    private static func isCode(_ text: String) -> Bool {
        text.utf8.count == 4 && text.first?.isUppercase == true && text.dropFirst().allSatisfy(\.isNumber)
    }

    /// For the line of each comment, the next line that is not a comment alone.
    private static func nextLines(_ file: SourceFile, _ comments: [YAMLComment]) -> [Int: Int] {
        let text = SourceText(file)
        var nextLines: [Int: Int] = [:]
        for start in comments.map(\.span.start).reversed() {
            let next = start.line + 1
            nextLines[start.line] = nextLines[next].flatMap { isAlone(next, text) ? $0 : nil } ?? next
        }
        return nextLines
    }

    /// Whether the first thing on a line with a comment is the comment.
    private static func isAlone(_ line: Int, _ text: SourceText) -> Bool {
        guard let range = text.lineRange(line) else { return false }
        return text.bytes[range].first { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") } == UInt8(ascii: "#")
    }
}
