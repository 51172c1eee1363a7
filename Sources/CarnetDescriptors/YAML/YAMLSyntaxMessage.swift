import CarnetFoundation

/// Says in plain words, and at the place that has to change, what libyaml could not read.
struct YAMLSyntaxMessage {
    let problem: YAMLSyntaxProblem
    let text: SourceText

    func diagnostic(file: String) -> Diagnostic {
        if let tab = tabPlace {
            let others = tabIndentedLines(after: tab.line)
            let more = others == 0 ? "" : "; \(others) more line\(others == 1 ? "" : "s") below start with a tab"
            return ReaderDiagnostics.tabIndentation.diagnostic(
                "a tab is used for indentation", file: file, span: characterSpan(at: tab), help: "use spaces\(more)")
        }
        if let value = valueWithBraces {
            return ReaderDiagnostics.syntaxError.diagnostic(
                "a value that starts with '{' must be quoted", file: file, span: value,
                help: "put the value between quotes: \"\(text.text(in: value) ?? "")\"")
        }
        if let key = keyWithoutSpace {
            return ReaderDiagnostics.syntaxError.diagnostic(key.message, file: file, span: key.span, help: key.help)
        }
        let words = self.words
        let primary = words.isAboutContext ? problem.contextPlace.position : place
        var related: [Diagnostic.Related] = []
        if let context = words.context, !words.isAboutContext {
            let span = characterSpan(at: problem.contextPlace.position)
            if span.start != primary { related = [.init(message: context, file: file, span: span)] }
        }
        return ReaderDiagnostics.syntaxError.diagnostic(
            words.message, file: file, span: words.isAboutContext ? contextSpan : characterSpan(at: primary),
            help: words.help, related: related)
    }

    private struct Words {
        var message: String
        var help: String?
        /// The meaning of the related place.
        var context: String?
        /// Whether the mistake is where the construct began rather than where libyaml gave up.
        var isAboutContext: Bool

        init(_ message: String, help: String? = nil, context: String? = nil, isAboutContext: Bool = false) {
            (self.message, self.help, self.context, self.isAboutContext) = (message, help, context, isAboutContext)
        }
    }

    private var words: Words {
        switch problem.problem {
        case "mapping values are not allowed in this context":
            Words(
                "a ':' is not allowed here",
                help: "quote the value if the ':' belongs to it, or check the indentation of this line")
        case "could not find expected ':'":
            Words(
                "there is no ':' after this key", help: "write 'key: value', or quote a string with several lines",
                isAboutContext: true)
        case "did not find expected key":
            Words(
                "a key of the mapping cannot start here",
                help: "check the indentation: the keys of one mapping start in the same column",
                context: "the mapping starts here")
        case "did not find expected '-' indicator":
            Words(
                "the '-' of a list element is missing here",
                help: "check the indentation: the '-' of one list are in the same column",
                context: "the list starts here")
        case "did not find expected ',' or ']'":
            Words("the list lacks a ',' or its ']' here", context: "the list starts here")
        case "did not find expected ',' or '}'":
            Words("the mapping lacks a ',' or its '}' here", context: "the mapping starts here")
        case "found unexpected end of stream", "found unexpected document indicator":
            Words("this quoted string is never closed", isAboutContext: true)
        case "found unknown escape character":
            Words(
                "this escape does not exist", help: "write '\\\\' for a backslash, or use single quotes",
                context: "the quoted text starts here")
        case "did not find expected hexdecimal number", "found invalid Unicode character escape code":
            Words(
                "this escape names no Unicode character", help: "write the character itself",
                context: "the quoted text starts here")
        case "found character that cannot start any token":
            Words(
                "a value cannot start with \"\(text.text(in: characterSpan(at: place)) ?? "")\"",
                help: "put the value between quotes")
        case "block sequence entries are not allowed in this context":
            Words(
                "a list cannot start on this line",
                help: "put '- ' on a line of its own below the key, or write the list as [a, b]")
        case "mapping keys are not allowed in this context":
            Words("a '?' is not allowed here", help: "quote the value if it starts with '?'")
        case "did not find expected alphabetic or numeric character":
            Words(
                "a value that starts with '*' or '&' must be quoted", help: "'*' and '&' start an alias and an anchor",
                isAboutContext: true)
        case "did not find expected comment or line break" where problem.context == "while scanning a block scalar":
            Words("after '|' or '>' the text starts on the next line")
        case "found a tab character where an indentation space is expected":
            Words("a tab is used for indentation", help: "use spaces")
        case "did not find expected <document start>":
            Words("this does not belong to the value before it", help: "check the indentation")
        case "did not find expected node content": Words("a value is missing here")
        case "found undefined tag handle":
            Words("a value that starts with '!' must be quoted", isAboutContext: true)
        case "found unexpected ':'": Words("a ':' is not allowed here", help: "put the value between quotes")
        case "found incompatible YAML document":
            Words("the file asks for a version of YAML other than 1.2", help: "remove the line")
        default: Words("this is not YAML: \(problem.problem)\(problem.context.map { " \($0)" } ?? "")")
        }
    }

    /// Where libyaml gave up, or the end of the text before it.
    private var place: SourcePosition {
        let position = problem.place.position
        guard position.line <= text.lineCount else { return text.position(ofOffset: text.bytes.count) }
        return position
    }

    private func characterSpan(at position: SourcePosition) -> SourceSpan {
        var end = position
        end.column += 1
        let span = SourceSpan(start: position, end: end)
        return text.range(of: span) == nil ? SourceSpan(start: position, end: position) : span
    }

    /// From where the construct began to the end of that line's text.
    private var contextSpan: SourceSpan {
        let start = problem.contextPlace.position
        guard let range = text.lineRange(start.line), let first = text.offset(of: start) else {
            return characterSpan(at: start)
        }
        let line = text.bytes[first..<range.upperBound]
        let last = line.lastIndex { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
        return SourceSpan(start: start, end: text.position(ofOffset: last.map { $0 + 1 } ?? first))
    }

    /// A value such as `{tenant}.acme.example`, which YAML reads as a mapping with something after it.
    private var valueWithBraces: SourceSpan? {
        guard problem.problem == "did not find expected key", let range = text.lineRange(place.line),
            let end = text.offset(of: place)
        else { return nil }
        let line = text.bytes[range]
        guard range.contains(end), end > line.startIndex, line[end - 1] == UInt8(ascii: "}"),
            let start = line[..<end].lastIndex(of: UInt8(ascii: "{")),
            line[line.startIndex..<start].last(where: { $0 != UInt8(ascii: " ") }) == UInt8(ascii: ":")
        else { return nil }
        let name = line[(start + 1)..<(end - 1)]
        guard !name.isEmpty,
            name.allSatisfy({ ASCII.isAlphanumeric($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: ".") })
        else { return nil }
        let stop = line[end...].firstIndex { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "#") } ?? line.endIndex
        return SourceSpan(start: text.position(ofOffset: start), end: text.position(ofOffset: stop))
    }

    /// A key whose ':' has no space after it, so that all of the line is one string to YAML.
    private var keyWithoutSpace: (message: String, help: String, span: SourceSpan)? {
        let line: Int
        switch problem.problem {
        case "could not find expected ':'": line = problem.contextPlace.position.line
        // The string goes on in the next line, which has a ':' too.
        case "mapping values are not allowed in this context": line = place.line - 1
        default: return nil
        }
        guard line > 0, let range = text.lineRange(line) else { return nil }
        let name = text.bytes[range].drop { $0 == UInt8(ascii: " ") }.prefix {
            ASCII.isAlphanumeric($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
        }
        let colon = name.endIndex
        guard !name.isEmpty, colon + 1 < range.upperBound, text.bytes[colon] == UInt8(ascii: ":") else { return nil }
        let rest = text.bytes[(colon + 1)..<range.upperBound]
        let spaces = [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r")]
        guard let first = rest.first, !spaces.contains(first), !rest.starts(with: Array("//".utf8)),
            rest.firstRange(of: Array(": ".utf8)) == nil
        else { return nil }
        let span = characterSpan(at: text.position(ofOffset: colon))
        guard !rest.starts(with: [0xC2, 0xA0]) else {
            return (
                "a no-break space (U+00A0) follows this ':'", "replace it by an ordinary space",
                characterSpan(at: text.position(ofOffset: colon + 1))
            )
        }
        return ("there is no space after this ':'", "put a space after ':'", span)
    }

    // MARK: Tabs

    /// The tab in the indentation of the line that libyaml could not read.
    ///
    /// A tab that is not to blame stays unmentioned: inside brackets tabs are white space.
    private var tabPlace: SourcePosition? {
        guard let offset = tabOffset(inLine: place.line) else { return nil }
        let tab = text.position(ofOffset: offset)
        return tab == place || problem.problem.contains("tab character") || isIndentationProblem ? tab : nil
    }

    /// Problems that a misread indentation leads to.
    private var isIndentationProblem: Bool {
        ["did not find expected key", "mapping values are not allowed in this context"].contains(problem.problem)
    }

    private func tabOffset(inLine line: Int) -> Int? {
        guard let range = text.lineRange(line) else { return nil }
        let indentation = text.bytes[range].prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        return indentation.firstIndex(of: UInt8(ascii: "\t"))
    }

    private func tabIndentedLines(after line: Int) -> Int {
        guard line < text.lineCount else { return 0 }
        return ((line + 1)...text.lineCount).count { tabOffset(inLine: $0) != nil }
    }
}
