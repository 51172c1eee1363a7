/// The providers that can be selected by name. An immutable value once it is made; later additions hide earlier ones.
public struct ProviderRegistry: Sendable {
    /// Where a descriptor came from.
    public enum Origin: Hashable, Sendable {
        case builtIn
        case folder(String)
        case file(String)
    }

    public struct Entry: Sendable {
        public let descriptor: ProviderDescriptor
        public let document: DescriptorDocument
        public let origin: Origin
    }

    private struct Source {
        let document: DescriptorDocument
        let origin: Origin
    }

    private var sources: [Source] = []
    private var byID: [ProviderID: Entry] = [:]
    /// Entries that a later one of the same id hides, in the order they were hidden.
    public private(set) var hidden: [Entry] = []
    /// Files that could not be used. They hide nothing.
    public private(set) var broken: [DescriptorDocument] = []

    public init() {}

    /// The entries by id.
    public var entries: [Entry] {
        byID.values.sorted { $0.descriptor.id < $1.descriptor.id }
    }

    public var ids: [ProviderID] { byID.keys.sorted() }

    /// Adds descriptors. A file with errors goes to `broken` and changes nothing else.
    ///
    /// A descriptor may extend one that is added later; until then it is among the broken.
    public mutating func add(_ files: some Sequence<SourceFile>, origin: Origin) {
        let added = files.map { Source(document: DescriptorDocument($0), origin: origin) }
        sources += added
        guard sources.contains(where: { $0.document.parentID != nil }) else {
            for source in added { register(source.document, source.origin) }
            return
        }
        registerAgain()
    }

    /// The same registry after a place was read again: what is there now stands where its descriptors stood.
    public func replacing(_ origin: Origin, with files: some Sequence<SourceFile>) -> ProviderRegistry {
        var registry = self
        let place = sources.firstIndex { $0.origin == origin } ?? sources.endIndex
        registry.sources.removeAll { $0.origin == origin }
        registry.sources.insert(
            contentsOf: files.map { Source(document: DescriptorDocument($0), origin: origin) }, at: place)
        registry.registerAgain()
        return registry
    }

    private mutating func registerAgain() {
        (byID, hidden, broken) = ([:], [], [])
        for (source, document) in zip(sources, Inheritance.complete(sources.map(\.document))) {
            register(document, source.origin)
        }
    }

    private mutating func register(_ document: DescriptorDocument, _ origin: Origin) {
        guard let descriptor = document.descriptor else {
            broken.append(document)
            return
        }
        let entry = Entry(descriptor: descriptor, document: document, origin: origin)
        if let previous = byID.updateValue(entry, forKey: descriptor.id) { hidden.append(previous) }
    }

    /// All files as they are written, in the order in which they were added.
    package var written: [DescriptorDocument] { sources.map(\.document) }

    /// The entry under a name.
    ///
    /// - Throws: `UnknownProviderError` with the nearest names.
    public func entry(named name: String) throws(UnknownProviderError) -> Entry {
        guard let entry = byID[ProviderID(rawValue: name)] else {
            throw UnknownProviderError(name: name, nearest: nearest(to: name), broken: brokenFile(for: name))
        }
        return entry
    }

    /// - Throws: `UnknownProviderError` with the nearest names.
    public func descriptor(_ id: ProviderID) throws(UnknownProviderError) -> ProviderDescriptor {
        try entry(named: id.rawValue).descriptor
    }

    private func nearest(to name: String) -> [String] {
        let names = ids.map(\.rawValue)
        let containing = names.filter { $0.hasPrefix(name) || name.hasPrefix($0) }
        let spelled = nearestName(to: name, in: names).map { [$0] } ?? []
        return Array((spelled + containing.filter { !spelled.contains($0) }).prefix(3))
    }

    private func brokenFile(for name: String) -> String? {
        broken.first { document in
            let file = document.file.path.split(separator: "/").last ?? ""
            return document.id?.rawValue == name || file == "\(name).yaml" || file == "\(name).yml"
        }?.file.path
    }
}

/// A name under which no provider is registered.
public struct UnknownProviderError: Error, Hashable, Sendable, CustomStringConvertible {
    public var name: String
    /// Up to three registered names that may have been meant.
    public var nearest: [String]
    /// A file that would define the name if it had no errors.
    public var broken: String?

    public var description: String {
        let unknown = "no provider is called \"\(name)\""
        if let broken { return "\(unknown): \(broken) has errors; run carnet lint on it" }
        return nearest.isEmpty ? unknown : "\(unknown); did you mean \(nearest.joined(separator: " or "))?"
    }
}
