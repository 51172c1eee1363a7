package import CarnetDescriptors
import CarnetFoundation

/// What a rule sees: one descriptor with its text and the place of everything in it, what it inherits included.
package final class LintContext: Sendable {
    package let document: DescriptorDocument
    /// With the examples of inputs in its pointers.
    package let descriptor: ProviderDescriptor
    package let root: YAMLNode
    /// The places of the descriptor's values.
    package let places: Place<DescriptorRules>
    /// The lines are found once, for the first that asks: most files are right, and nobody does.
    package var text: SourceText { lines.withLock { $0.filled { document.sources.text } } }
    private let lines = Lock<SourceText?>(nil)
    /// What a resource server could not decide by in the resources, found once for all rules.
    var routeProblems: [RouteTable.Problem] {
        routes.withLock { $0.filled { RouteTable.reading(descriptor.resources).problems } }
    }
    private let routes = Lock<[RouteTable.Problem]?>(nil)
    /// Every URL that a request can go to.
    let urls: [DescriptorURL]
    /// Every value that may name inputs.
    let templateUses: [TemplateUse]
    /// Every scope, wherever it stands.
    let scopeUses: [ScopeUse]
    let redirects: [RedirectURI]
    let assertions: [AssertionSection]
    /// The requests of the section `connection`.
    let calls: [ConnectionCall]
    /// The requests that the file shapes.
    let requests: [MessageSection]
    /// The descriptor in each of its environments.
    let variants: [LintContext]

    /// The day of the lint, such as 2026-11-28, if the host names one.
    let today: String?

    /// Whether nothing is wrong with the descriptor's shape.
    let isWhole: Bool

    /// - Returns: `nil` for a file that is no descriptor.
    package init?(_ document: DescriptorDocument, today: String? = nil) {
        guard let descriptor = document.decoded, let root = document.root else { return nil }
        isWhole = document.isWhole
        self.document = document
        self.today = today
        self.root = root
        places = Place(root)
        calls = ConnectionCall.all(in: descriptor, places)
        urls = DescriptorURL.all(in: descriptor, places, calls: calls)
        requests = MessageSection.requests(in: places)
        assertions = AssertionSection.all(in: descriptor, places)
        scopeUses = ScopeUse.all(in: places)
        templateUses = TemplateUse.all(
            in: descriptor, places, urls: urls, requests: requests, calls: calls, assertions: assertions,
            scopes: scopeUses)
        self.descriptor =
            templateUses.contains(where: \.isPointer) ? descriptor.withExamplesInPointers : descriptor
        redirects = RedirectURI.all(in: places)
        variants = document.variants.compactMap { LintContext($0, today: today) }
    }

    package var path: String { document.file.path }

    /// The inputs that name places in responses.
    package var inputsOfPointers: Set<String> { Set(templateUses.filter(\.isPointer).flatMap(\.inputNames)) }

    /// The place of a part of a scalar; of the whole scalar, where the text is not written as it is read.
    ///
    /// - Parameter part: a stretch of the scalar's text, or of an end of it.
    func span(of part: Substring, in node: YAMLNode) -> SourceSpan {
        guard let scalar = node.scalar, let written = text.text(in: node.span) else { return node.span }
        let quoteLength: Int
        switch written {
        case scalar.text: quoteLength = 0
        case "\"\(scalar.text)\"", "'\(scalar.text)'": quoteLength = 1
        default: return node.span
        }
        guard !written.contains(where: \.isNewline), scalar.text.hasSuffix(part.base) else { return node.span }
        let skipped = scalar.text.unicodeScalars.count - part.base.unicodeScalars.count
        let before = part.base.unicodeScalars.distance(from: part.base.startIndex, to: part.startIndex)
        var start = node.span.start
        start.column += quoteLength + skipped + before
        var end = start
        end.column += part.unicodeScalars.count
        return SourceSpan(start: start, end: end)
    }

    /// The messages that the file shapes: the requests and the callback.
    var messages: [MessageSection] { requests + [MessageSection(callback: places.callback)].compactMap { $0 } }

    /// The name that a misspelled one most likely meant. Of very many candidates only the first are compared.
    func nearest(to name: String, in candidates: some Sequence<String>) -> String? {
        nearestName(to: name, in: candidates.prefix(256).map { $0 })
    }

    /// The path of the key that is written at a place. The whole tree is searched: this is for messages.
    func keyPath(at span: SourceSpan) -> String { root.keyPath(at: span)?.joined(separator: ".") ?? "" }

    package func related(_ message: String, at span: SourceSpan) -> Diagnostic.Related {
        Diagnostic.Related(message: message, file: path, span: span)
    }
}

extension Optional {
    /// The value, which is made if there is none yet.
    fileprivate mutating func filled(_ make: () -> Wrapped) -> Wrapped {
        let value = self ?? make()
        self = value
        return value
    }
}

extension YAMLNode {
    /// The headers and parameters of all requests. In a response or a table, the same names mean something else.
    package var additions: [(entry: YAMLEntry, isHeader: Bool)] {
        let sections = entries ?? []
        let named = sections.filter { $0.key == "headers" || $0.key.hasSuffix("parameters") }
        let own = named.flatMap { section in
            (section.value.entries ?? []).map { (entry: $0, isHeader: section.key == "headers") }
        }
        let others = sections.filter { !["samples", "sample", "tables"].contains($0.key) }.map(\.value)
        return own + (others + (elements ?? [])).flatMap(\.additions)
    }

    /// The elements of a list, or the values of a mapping.
    var parts: [YAMLNode] { elements ?? (entries ?? []).map(\.value) }

    /// Visits each scalar with its key, or that of the list that it is in.
    func visitScalars(
        of key: String = "", except others: [String] = [], _ visit: (String, YAMLScalar, SourceSpan) -> Void
    ) {
        switch content {
        case .mapping(let entries):
            for entry in entries where !others.contains(entry.key) {
                entry.value.visitScalars(of: entry.key, except: others, visit)
            }
        case .sequence(let elements):
            for element in elements { element.visitScalars(of: key, except: others, visit) }
        case .scalar(let scalar): visit(key, scalar, span)
        }
    }

    fileprivate func keyPath(at span: SourceSpan) -> [String]? {
        for entry in entries ?? [] {
            if entry.keySpan == span { return [entry.key] }
            if let rest = entry.value.keyPath(at: span) { return [entry.key] + rest }
        }
        return elements?.lazy.compactMap { $0.keyPath(at: span) }.first
    }
}
