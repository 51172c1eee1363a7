import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import CarnetSimulation

/// What must hold for every input, whatever it is: the reader, the decoder, the linter and its simulation response, every
/// place that they name is in the text, and a fix mends what it says and keeps the comments.
struct InputCheck: Sendable {
    /// What does not hold.
    struct Violation: Error, CustomStringConvertible {
        let description: String
    }

    private static let path = "acme.yaml"
    private static let codes = Set(DiagnosticCatalog.all.map(\.code))

    private let linter: Linter

    init() {
        // A parent for the inputs that extend one.
        let base = """
            carnet: 1
            id: base
            name: Base
            inputs: { tenant: { example: acme } }
            issuer: https://{tenant}.base.example
            scopes: { default: [openid, email] }
            environments: { sandbox: { issuer: 'https://sandbox.base.example' } }

            """
        var known = ProviderRegistry()
        known.add([SourceFile(path: "base.yaml", text: base)], origin: .builtIn)
        linter = Linter(known: known, simulator: SampleSimulator())
    }

    /// - Parameter rendering: Whether the reports are looked at too, which takes as long as the rest.
    func run(_ bytes: [UInt8], rendering: Bool = true) throws(Violation) {
        let file = SourceFile(path: Self.path, bytes: bytes)
        let text = SourceText(file)
        let yaml = YAMLReader().read(file)
        try check(yaml, in: text)

        let document = DescriptorDocument(file, read: yaml)
        try require(
            document.descriptor != nil || document.parentID != nil || !document.diagnostics.isEmpty,
            "a file without a descriptor has no finding")
        if let descriptor = document.descriptor { _ = try? descriptor.resolve() }

        let report = linter.lint(files: [file])
        try check(report.diagnostics, in: text)
        try require(
            yaml.diagnostics.isEmpty || report.errorCount > 0, "what the reader finds is lost in the linter")
        if rendering { try checkReports(report) }
        try checkFixes(of: file, report)
    }

    private func require(_ condition: Bool, _ words: @autoclosure () -> String) throws(Violation) {
        if !condition { throw Violation(description: words()) }
    }
}

// MARK: The reader

extension InputCheck {
    private func check(_ document: YAMLDocument, in text: SourceText) throws(Violation) {
        try require(document.root != nil || !document.diagnostics.isEmpty, "nothing is read and nothing is found")
        try check(document.diagnostics, in: text)
        for comment in document.comments {
            try require(text.text(in: comment.span)?.hasPrefix("#") == true, "no comment at \(comment.span)")
        }
        // What an alias repeats stands elsewhere.
        guard let root = document.root, !text.bytes.contains(UInt8(ascii: "*")) else { return }
        try check(root, in: text)
    }

    /// Children lie inside their parent, one after the other.
    private func check(_ node: YAMLNode, in text: SourceText) throws(Violation) {
        try require(text.range(of: node.span) != nil, "a value at \(node.span), outside of the text")
        var last = node.span.start
        func follow(_ span: SourceSpan) throws(Violation) {
            try require(text.range(of: span) != nil, "a key at \(span), outside of the text")
            try require(last <= span.start && span.end <= node.span.end, "\(span) is not inside of \(node.span)")
            last = span.end
        }
        for element in node.elements ?? [] {
            try follow(element.span)
            try check(element, in: text)
        }
        for entry in node.entries ?? [] {
            try follow(entry.keySpan)
            try follow(entry.value.span)
            try check(entry.value, in: text)
        }
        if let scalar = node.scalar, scalar.isPlain, !scalar.text.contains(where: \.isWhitespace) {
            try require(text.text(in: node.span) == scalar.text, "\(scalar.text) is not what stands at \(node.span)")
        }
    }
}

// MARK: Findings

extension InputCheck {
    private func check(_ diagnostics: [Diagnostic], in text: SourceText) throws(Violation) {
        for diagnostic in diagnostics {
            try require(Self.codes.contains(diagnostic.code), "\(diagnostic.code) has no page")
            try require(diagnostic.file == Self.path, "a finding in \(diagnostic.file)")
            try require(text.range(of: diagnostic.span) != nil, "\(diagnostic) is outside of the text")
            for related in diagnostic.related where related.file == Self.path {
                try require(text.range(of: related.span) != nil, "\(diagnostic): \(related) is outside of the text")
            }
        }
        try require(diagnostics.sorted() == diagnostics, "the findings are not sorted")
    }

    private func checkReports(_ report: LintReport) throws(Violation) {
        let plain = TextReporter().render(report)
        for scalar in plain.unicodeScalars where scalar != "\n" {
            let category = scalar.properties.generalCategory
            try require(
                category != .control && category != .lineSeparator && category != .paragraphSeparator,
                "the report lets U+\(String(scalar.value, radix: 16)) through")
        }
        let heads = plain.split(separator: "\n").count { $0.hasPrefix(Self.path + ":") }
        try require(heads == report.diagnostics.count, "\(heads) heads of \(report.diagnostics.count) findings")
        let annotations = GitHubReporter().render(report).split(separator: "\n").count
        try require(annotations == report.diagnostics.count, "\(annotations) annotations")
        for output in [JSONReporter().render(report), SARIFReporter().render(report)] {
            do {
                _ = try JSONValue(parsing: output)
            } catch {
                throw Violation(description: "a report is not JSON: \(error)")
            }
        }
    }
}

// MARK: Fixes

extension InputCheck {
    /// More would make an input with many findings slow to check; each input has others.
    private static let maximumFixes = 4

    private struct Finding: Hashable {
        var code: String
        var message: String

        init(_ diagnostic: Diagnostic) {
            (code, message) = (diagnostic.code, diagnostic.message)
        }
    }

    private func checkFixes(of file: SourceFile, _ report: LintReport) throws(Violation) {
        let fixable = report.diagnostics.filter { $0.fix?.applicability == .safe }
        guard !fixable.isEmpty else { return }
        for diagnostic in fixable.prefix(Self.maximumFixes) {
            let (fixed, applied) = LintFixer.apply(to: file, diagnostics: [diagnostic])
            guard applied > 0 else { continue }
            try checkSurvivors(of: file, in: fixed)
            let after = linter.lint(files: [fixed]).diagnostics
            let finding = Finding(diagnostic)
            func count(_ diagnostics: [Diagnostic]) -> Int { diagnostics.count { Finding($0) == finding } }
            try require(count(after) < count(report.diagnostics), "\(diagnostic) is found again after its fix")
        }
        let (fixed, applied) = LintFixer.fix(file, with: linter)
        guard applied > 0 else { return }
        try checkSurvivors(of: file, in: fixed)
        try require(LintFixer.fix(fixed, with: linter).applied == 0, "fixing again finds something to fix")
    }

    private func checkSurvivors(of old: SourceFile, in new: SourceFile) throws(Violation) {
        let before = YAMLReader().read(old)
        let after = YAMLReader().read(new)
        try require(after.root != nil, "the fixed text is not YAML")
        try require(after.comments.map(\.text) == before.comments.map(\.text), "a fix loses a comment")
        try require(after.diagnostics.count <= before.diagnostics.count, "a fix makes something worse")
    }
}
