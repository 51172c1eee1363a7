import CarnetFoundation

/// Makes one tree of nodes from the events of a string, and a diagnostic of everything that Carnet does not accept.
///
/// It keeps a stack of its own, so that no input can exhaust the thread's.
struct YAMLTreeBuilder {
    let file: String
    let text: SourceText
    let limits: YAMLLimits
    /// Whether to record the places of scalars, which is only needed to distinguish comments from text.
    var collectsScalars = false

    private(set) var root: YAMLNode?
    var diagnostics: [Diagnostic] = []
    /// The characters of each scalar, its tag and anchor included.
    private(set) var scalars: [Range<Int>] = []
    /// Whether a limit was passed, so that the tree is not whole.
    private(set) var isStopped = false
    private(set) var isEmpty = true

    private var documentCount = 0
    private var nodeCount = 0
    private var stack: [OpenCollection] = []
    private var anchors: [Anchor] = []
    private var anchorIndices: [String: Int] = [:]

    init(file: String, text: SourceText, limits: YAMLLimits) {
        (self.file, self.text, self.limits) = (file, text, limits)
    }

    /// Takes the next event.
    ///
    /// - Returns: whether to go on.
    mutating func take(_ event: YAMLEvent) -> Bool {
        switch event.kind {
        case .documentStart:
            documentCount += 1
            if documentCount > 1 {
                report(
                    ReaderDiagnostics.severalDocuments, "a second YAML document starts here", at: event.span,
                    help: "put each descriptor into a file of its own")
                return false
            }
        case .other: break
        case .alias(let name): takeAlias(name, event)
        case .scalar(let bytes, let style): takeScalar(bytes, style: style, event)
        case .sequenceStart(let isFlow): open(isMapping: false, isFlow: isFlow, event)
        case .mappingStart(let isFlow): open(isMapping: true, isFlow: isFlow, event)
        case .collectionEnd: close(event)
        }
        return !isStopped
    }

    private mutating func report(
        _ rule: DiagnosticExplanation, _ message: String, at span: SourceSpan, help: String? = nil,
        related: [Diagnostic.Related] = []
    ) {
        diagnostics.append(rule.diagnostic(message, file: file, span: span, help: help, related: related))
    }

    /// Reports what goes past a limit, so that nothing more is read.
    private mutating func stop(
        _ rule: DiagnosticExplanation, _ message: String, at span: SourceSpan, help: String? = nil
    ) {
        report(rule, message, at: span, help: help)
        isStopped = true
    }
}

// MARK: Scalars

extension YAMLTreeBuilder {
    private mutating func takeScalar(
        _ bytes: UnsafeBufferPointer<UInt8>, style: YAMLEvent.ScalarStyle, _ event: YAMLEvent
    ) {
        let content = String(decoding: bytes, as: UTF8.self)
        let span = scalarSpan(isEmpty: bytes.isEmpty, style: style, event)
        if collectsScalars { scalars.append(event.start.index..<event.end.index) }
        if bytes.count > limits.maximumScalarBytes {
            let limit = byteCountDescription(limits.maximumScalarBytes)
            report(ReaderDiagnostics.scalarTooLong, "this text is longer than \(limit)", at: span)
        }
        guard !stops(at: content, span) else { return }
        checkTag(event, accepting: "str", span: span)
        let nodes = 1 + bytes.count / limits.bytesOfNode
        guard count(nodes, at: span) else { return }
        let scalar = YAMLScalar(content, isPlain: style == .plain && event.properties?.tag == nil)
        let anchor = openAnchor(event)
        if anchor == nil, let top = stack.indices.last, stack[top].awaitsKey {
            // Nearly every key. A node of it would be copied into its parts again.
            stack[top].count(nodes, height: 0, end: span.end)
            let problem = stack[top].takeKey(scalar, span)
            if let problem { reportKey(problem, YAMLNode(.scalar(scalar), span: span)) }
            return
        }
        attach(YAMLNode(.scalar(scalar), span: span), nodes: nodes, height: 0, anchor: anchor)
    }

    private func scalarSpan(isEmpty: Bool, style: YAMLEvent.ScalarStyle, _ event: YAMLEvent) -> SourceSpan {
        var span = SourceSpan(start: valueStart(event), end: event.end.position)
        switch style {
        case .block:
            // libyaml ends a block scalar where the next line's text starts.
            span.end = max(span.start, text.trimmingSpace(before: event.end, notBefore: event.start))
        case .plain where isEmpty && span.start == span.end:
            // libyaml puts a value that is not there at the next token.
            let place = emptyPlace(event)
            span = SourceSpan(start: place, end: place)
        case .plain, .quoted: break
        }
        return span
    }

    /// Where a value starts, behind its tag and anchor.
    private func valueStart(_ event: YAMLEvent) -> SourcePosition {
        event.properties == nil
            ? event.start.position : text.skippingProperties(from: event.start, to: event.end)
    }

    private func emptyPlace(_ event: YAMLEvent) -> SourcePosition {
        guard event.properties == nil else { return event.end.position }
        let place = text.trimmingSpace(before: event.start, notBefore: .start)
        guard let last = stack.last, last.isMapping else { return place }
        guard let key = last.pendingKeySpan else { return event.start.position }
        return place.line == key.end.line ? place : key.end
    }
}

// MARK: Lists and mappings

extension YAMLTreeBuilder {
    private mutating func open(isMapping: Bool, isFlow: Bool, _ event: YAMLEvent) {
        let start = valueStart(event)
        let span = SourceSpan(start: start, end: max(start, event.end.position))
        guard stack.count < limits.maximumDepth else {
            return stop(
                ReaderDiagnostics.tooDeep,
                "lists and mappings are nested deeper than \(limits.maximumDepth) levels", at: span)
        }
        checkTag(event, accepting: isMapping ? "map" : "seq", span: span)
        guard count(1, at: span) else { return }
        let anchor = openAnchor(event)
        stack.append(OpenCollection(isMapping: isMapping, isFlow: isFlow, start: start, anchor: anchor))
    }

    private mutating func close(_ event: YAMLEvent) {
        guard let collection = stack.popLast() else { return }
        // The end mark of a block collection is the next token, which belongs to what follows.
        let end = collection.isFlow ? event.end.position : collection.end
        let (nodes, height, anchor) = (collection.nodes, collection.height, collection.anchor)
        attach(collection.finished(end: end), nodes: nodes, height: height, anchor: anchor)
    }

    /// Puts a finished node where it belongs.
    ///
    /// - Parameters:
    ///   - nodes: how many nodes it is, itself included.
    ///   - height: how many levels of lists and mappings are in it.
    private mutating func attach(_ node: consuming YAMLNode, nodes: Int, height: Int, anchor: Int?) {
        if let anchor { anchors[anchor] = .complete(copy node, nodes: nodes, height: height) }
        let top = stack.count - 1
        guard top >= 0 else {
            isEmpty = node.scalar.map { $0.isPlain && $0.text.isEmpty } ?? false
            root = node
            return
        }
        stack[top].count(nodes, height: height, end: node.span.end)
        if !stack[top].awaitsKey {
            stack[top].take(node)
        } else if let problem = stack[top].takeKey(node.scalar, node.span) {
            reportKey(problem, node)
        }
    }

    /// Goes on after something that has no value, such as an undefined alias.
    private mutating func skip(_ span: SourceSpan) {
        guard !stack.isEmpty else {
            isEmpty = false
            return
        }
        stack[stack.count - 1].skip(span)
    }

    private mutating func reportKey(_ problem: OpenCollection.KeyProblem, _ key: YAMLNode) {
        switch problem {
        case .notScalar:
            report(ReaderDiagnostics.keyNotScalar, "\(key.kindDescription) cannot be a key", at: key.span)
        case .missing:
            report(ReaderDiagnostics.keyNotScalar, "there is no key before the ':'", at: key.span)
        case .merge:
            report(
                ReaderDiagnostics.mergeKey, "the merge key '<<' is not supported", at: key.span,
                help: "repeat the keys here, or use 'extends' to build on another descriptor")
        case .duplicate(let name, let first):
            report(
                ReaderDiagnostics.duplicateKey, "the key \"\(name)\" is defined twice in this mapping", at: key.span,
                help: "keep one of the two; until then, Carnet uses the first",
                related: [.init(message: "first defined here", file: file, span: first)])
        }
    }
}

// MARK: Anchors, tags, counts

extension YAMLTreeBuilder {
    private enum Anchor {
        case open
        case complete(YAMLNode, nodes: Int, height: Int)
    }

    private mutating func openAnchor(_ event: YAMLEvent) -> Int? {
        guard let name = event.properties?.anchor else { return nil }
        anchors.append(.open)
        anchorIndices[name] = anchors.count - 1
        return anchors.count - 1
    }

    private mutating func takeAlias(_ name: String, _ event: YAMLEvent) {
        let span = event.span
        guard let index = anchorIndices[name] else {
            report(
                ReaderDiagnostics.badAlias, "the alias \"*\(name)\" has no anchor before it", at: span,
                help: "put '&\(name)' before the value to repeat, or quote the string if it starts with '*'")
            return skip(span)
        }
        guard case .complete(var node, let nodes, let height) = anchors[index] else {
            report(ReaderDiagnostics.badAlias, "the alias \"*\(name)\" is inside the value that it repeats", at: span)
            return skip(span)
        }
        guard stack.count + height <= limits.maximumDepth else {
            return stop(
                ReaderDiagnostics.tooDeep,
                "with this alias, values are nested deeper than \(limits.maximumDepth) levels", at: span)
        }
        guard count(nodes, at: span) else { return }
        node.span = span
        attach(node, nodes: nodes, height: height, anchor: nil)
    }

    private mutating func count(_ nodes: Int, at span: SourceSpan) -> Bool {
        // Written so that it cannot overflow, however the aliases multiply.
        guard nodes <= limits.maximumNodes - nodeCount else {
            stop(
                ReaderDiagnostics.tooManyNodes, "the file holds more than \(limits.maximumNodes) values", at: span,
                help: "aliases count with everything that they repeat")
            return false
        }
        nodeCount += nodes
        return true
    }

    /// Whether a string is too costly to compare, so that nothing more is read.
    private mutating func stops(at text: String, _ span: SourceSpan) -> Bool {
        guard !text.isStreamSafe else { return false }
        stop(
            ReaderDiagnostics.scalarTooLong,
            "this text has more than \(String.longestCombiningRow) combining characters in a row", at: span)
        return true
    }

    private mutating func checkTag(_ event: YAMLEvent, accepting name: String, span: SourceSpan) {
        let coreSchema = "tag:yaml.org,2002:"
        guard let tag = event.properties?.tag, !stops(at: tag, span), tag != coreSchema + name else { return }
        let shown = tag.hasPrefix(coreSchema) ? "!!" + tag.dropFirst(coreSchema.count) : tag
        let start = event.start.position
        report(
            ReaderDiagnostics.unsupportedTag, "the tag \"\(shown)\" is not supported here",
            at: SourceSpan(start: start, end: max(span.end, start)),
            help: "remove the tag; quotes make a string of any value")
    }
}
