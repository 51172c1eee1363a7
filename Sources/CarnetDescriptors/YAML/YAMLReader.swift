/// Reads a file into positioned nodes, and finds everything that is wrong with it as YAML in one pass.
///
/// The language is YAML 1.2 as far as libyaml reads it, without what makes two readers disagree or a file cost more than
/// its size: merge keys, tags beyond the plain kinds, several documents, keys that are not scalars.
package struct YAMLReader: Sendable {
    package var limits: YAMLLimits

    package init(limits: YAMLLimits = .init()) {
        self.limits = limits
    }

    package func read(_ file: SourceFile) -> YAMLDocument {
        let text = SourceText(file)
        let check = YAMLTextCheck(file, text: text, limits: limits)
        guard check.diagnostics.isEmpty else { return YAMLDocument(root: nil, diagnostics: check.diagnostics) }

        var builder = YAMLTreeBuilder(file: file.path, text: text, limits: limits)
        builder.collectsScalars = check.hasNumberSign
        var bytes = file.bytes
        if check.hasPercentLine { builder.diagnostics = Self.blankDirectives(in: &bytes, file: file.path, text: text) }
        let problem = bytes.withUnsafeBufferPointer { bytes in
            LibYAML.forEachEvent(in: UnsafeBufferPointer(rebasing: bytes[text.startOffset...])) { builder.take($0) }
        }
        if let problem {
            builder.diagnostics.append(YAMLSyntaxMessage(problem: problem, text: text).diagnostic(file: file.path))
        } else if !builder.isStopped, builder.isEmpty {
            builder.diagnostics.append(
                ReaderDiagnostics.emptyFile.diagnostic(
                    "the file has no content", file: file.path, span: .fileStart,
                    help: "a descriptor starts with 'carnet: 1', 'id' and 'name'"))
        }
        guard problem == nil, !builder.isStopped, !builder.isEmpty else {
            return YAMLDocument(root: nil, diagnostics: builder.diagnostics.sorted())
        }
        let comments = check.hasNumberSign ? YAMLComment.all(in: text, outside: builder.scalars) : []
        return YAMLDocument(root: builder.root, comments: comments, diagnostics: builder.diagnostics.sorted())
    }

    /// Turns directives other than `%YAML` into comments and reports the first.
    ///
    /// They only serve tags, which are refused anyway, and libyaml compares each `%TAG` with all earlier ones.
    private static func blankDirectives(in bytes: inout [UInt8], file: String, text: SourceText) -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        var isBeforeContent = true
        for number in 1...text.lineCount {
            guard let range = text.lineRange(number) else { continue }
            let line = bytes[range]
            if line.starts(with: "...".utf8) {
                isBeforeContent = true
            } else if line.first == UInt8(ascii: "%"), isBeforeContent, !line.starts(with: "%YAML ".utf8) {
                bytes[range.lowerBound] = UInt8(ascii: "#")
                guard diagnostics.isEmpty else { continue }
                let start = SourcePosition(line: number, column: 1)
                let span = SourceSpan(start: start, end: text.position(ofOffset: range.upperBound))
                diagnostics = [
                    ReaderDiagnostics.unsupportedTag.diagnostic(
                        "YAML directives are not supported", file: file, span: span, help: "remove the line")
                ]
            } else if let first = line.first(where: { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }) {
                if first != UInt8(ascii: "#"), line.first != UInt8(ascii: "%") { isBeforeContent = false }
            }
        }
        return diagnostics
    }
}
