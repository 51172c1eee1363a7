import Carnet
package import CarnetDescriptors
import CarnetLint
import CarnetSimulation

/// What is to be said of a descriptor that somebody pasted: the linter's findings, and a sign-in at a sandbox.
package struct DescriptorReport {
    static let sample = """
        carnet: 1
        id: acme
        name: Acme
        issuer: https://id.acme.example
        scopes: { default: [openid, profile, email] }

        """

    struct Finding {
        let diagnostic: Diagnostic
        let excerpt: Excerpt?
    }

    let text: String
    let findings: [Finding]
    /// The number of findings with a safe fix.
    let fixableCount: Int
    let summary: String
    private let file: SourceFile
    private let linter: Linter
    private let registry: ProviderRegistry

    /// - Parameter registry: The providers that it may extend.
    init(_ text: String, beside registry: ProviderRegistry) {
        self.text = text
        self.registry = registry
        // The name of a file is to be that of its id, and nobody has named this one.
        let id = DescriptorDocument(SourceFile(path: "descriptor.yaml", text: text)).id?.rawValue ?? "descriptor"
        file = SourceFile(path: "\(id).yaml", text: text)
        linter = Linter(known: registry, simulator: SampleSimulator())
        let report = linter.lint(files: [file])
        let source = SourceText(file)
        findings = report.diagnostics.map { Finding(diagnostic: $0, excerpt: Excerpt($0.span, in: source)) }
        fixableCount = report.fixableCount
        let counts = [
            (report.errorCount, "error"), (report.warningCount, "warning"), (report.informationCount, "remark"),
        ].filter { $0.0 > 0 }
        summary =
            counts.isEmpty
            ? "No findings."
            : counts.map { "\($0) \($1)\($0 == 1 ? "" : "s")" }.joined(separator: ", ")
    }

    /// The text with all safe fixes applied.
    var mended: String { LintFixer.fix(file, with: linter).0.text }

    /// One step of a sign-in, and what came of it.
    package struct Step: Sendable {
        let title: String
        let outcome: String
        let reason: String?

        package init(title: String, outcome: String, reason: String?) {
            (self.title, self.outcome, self.reason) = (title, outcome, reason)
        }
    }

    /// Tries a sign-in with a descriptor at a sandbox.
    package typealias Trial = @Sendable (ProviderRegistry.Entry) async throws -> (steps: [Step], hasFailed: Bool)

    /// A whole sign-in; no step if it cannot begin.
    func trial(_ trial: Trial) async -> (steps: [Step], result: String) {
        let origin = ProviderRegistry.Origin.file(file.path)
        var all = registry
        all.add([file], origin: origin)
        guard let entry = all.entries.first(where: { $0.origin == origin }) else {
            return ([], "Not tried: the descriptor has errors.")
        }
        do {
            let (steps, hasFailed) = try await trial(entry)
            return (steps, hasFailed ? "The sign-in failed." : "Every step succeeded.")
        } catch {
            return ([], "The sign-in could not begin: \(error)")
        }
    }

    /// The line of a finding, with what is wrong in it.
    struct Excerpt {
        private static let contextLimit = 60
        private static let markLimit = 160

        let before: String
        let mark: String
        let after: String

        init?(_ span: SourceSpan, in text: SourceText) {
            guard let line = text.lineRange(span.start.line), !line.isEmpty, let start = text.offset(of: span.start)
            else { return nil }
            let end = min(text.offset(of: span.end) ?? line.upperBound, line.upperBound)
            func part(_ range: Range<Int>) -> String { String(decoding: text.bytes[range], as: UTF8.self) }
            before = String(part(line.lowerBound..<start).suffix(Self.contextLimit))
            mark = String(part(start..<max(start, end)).prefix(Self.markLimit))
            after = String(part(max(start, end)..<line.upperBound).prefix(Self.contextLimit))
        }
    }
}
