public import CarnetDescriptors
import Synchronization

/// What a rule sees: one descriptor with its text and the place of everything in it, what it inherits included.
public final class LintContext: Sendable {
    public let document: DescriptorDocument
    public let descriptor: ProviderDescriptor
    public let root: YAMLNode
    /// The lines are found once, for the first that asks: most files are right, and nobody does.
    public var text: SourceText {
        lines.withLock { lines in
            if let lines { return lines }
            let text = document.sources.text
            lines = text
            return text
        }
    }
    private let lines = Mutex<SourceText?>(nil)
    /// Every URL that a request can go to.
    let urls: [DescriptorURL]
    /// Every value that may name inputs.
    let templateUses: [TemplateUse]
    /// Every scope, wherever it stands.
    let scopeUses: [ScopeUse]
    let redirects: [RedirectURI]
    /// The requests that the file shapes.
    let requests: [MessageSection]
    /// The descriptor in each of its environments.
    let variants: [LintContext]

    /// Whether nothing is wrong with the descriptor's shape.
    let isWhole: Bool

    /// - Returns: `nil` for a file that is no descriptor.
    public init?(_ document: DescriptorDocument) {
        guard let descriptor = document.partialDescriptor, let root = document.root else {
            return nil
        }
        isWhole = document.isWhole
        self.document = document
        self.descriptor = descriptor
        self.root = root
        urls = DescriptorURL.all(in: descriptor, root: root)
        requests = MessageSection.requests(in: root)
        templateUses = TemplateUse.all(in: descriptor, root: root, urls: urls, requests: requests)
        scopeUses = ScopeUse.all(in: root)
        redirects = RedirectURI.all(in: root)
        variants = document.variants.compactMap { LintContext($0) }
    }

    package var path: String { document.file.path }

    func node(_ path: String...) -> YAMLNode? { root.node(at: path) }

    /// The place of a value, or of what is nearest to where it would be.
    package func span(_ path: String...) -> SourceSpan { document.span(of: path) }

    /// The place of a key, or of what is nearest to where it would be.
    package func keySpan(_ path: String...) -> SourceSpan {
        guard let key = path.last, let parent = root.node(at: Array(path.dropLast())) else {
            return document.span(of: path)
        }
        return parent.entry(key)?.keySpan ?? document.span(of: path)
    }

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

    /// The entries of a mapping whose keys the author chose.
    func entries(_ path: String...) -> [YAMLEntry] { root.entries(at: path) }

    /// The elements of a list.
    func elements(_ path: String...) -> [YAMLNode] { root.elements(at: path) }

    /// The messages that the file shapes: the requests and the callback.
    var messages: [MessageSection] { requests + [MessageSection.callback(in: root)].compactMap { $0 } }

    /// The elements of a list in a section of the descriptor.
    func elements(in section: [String], _ key: String) -> [YAMLNode] {
        root.node(at: section)?.entry(key)?.value.elements ?? []
    }

    /// The name that a misspelled one most likely meant. Of very many candidates only the first are compared.
    func nearest(to name: String, in candidates: some Sequence<String>) -> String? {
        nearestName(to: name, in: candidates.prefix(256).map { $0 })
    }

    package func related(_ message: String, at span: SourceSpan) -> Diagnostic.Related {
        Diagnostic.Related(message: message, file: path, span: span)
    }
}

extension YAMLNode {
    func entries(at path: [String]) -> [YAMLEntry] { node(at: path)?.entries ?? [] }

    func elements(at path: [String]) -> [YAMLNode] { node(at: path)?.elements ?? [] }
}
