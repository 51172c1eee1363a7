public import CarnetFoundation

/// The providers that can be selected by id. A later descriptor overrides an earlier one with the same id, unless its
/// place may only add ids.
public struct ProviderRegistry: Sendable {
    /// The origin of a descriptor.
    public enum Origin: Hashable, Sendable {
        case builtIn
        case folder(String)
        case file(String)
    }

    /// A class, because a copy of a document costs more than the lookup.
    package final class Entry: Sendable {
        package let descriptor: ProviderDescriptor
        package let document: DescriptorDocument
        package let origin: Origin

        init(_ descriptor: ProviderDescriptor, _ document: DescriptorDocument, origin: Origin) {
            (self.descriptor, self.document, self.origin) = (descriptor, document, origin)
        }
    }

    /// A file as it is written, with the place that it came from.
    package struct Source: Sendable {
        let written: RegisteredFile
        package let origin: Origin

        package var document: DescriptorDocument { written.document }
    }

    private var sources: [Source] = []
    /// The places that may add ids and override none.
    private var guests: Set<Origin> = []
    /// What could not be read, by place. It may have any id.
    private var unreadable: [Origin: [SourceFileError]] = [:]
    private var byID: [ProviderID: RegisteredEntry] = [:]
    private var overridden: [RegisteredEntry] = []
    /// Files of places that may not override, with ids that are taken. They do nothing, not even as parents.
    private var unused: [Source] = []
    /// Files of places that may not override, while another place has a file whose id is unknown. They do nothing either.
    package private(set) var withheld: [Source] = []
    /// Files that could not be used. They override nothing.
    package private(set) var broken: [DescriptorDocument] = []
    /// The errors of invalid files, each as `file:line:column: severity: message [code]`.
    public var problems: [String] { broken.flatMap { $0.diagnostics.map(\.description) } }

    public init() {}

    /// The entries by id. Embedded descriptors that nobody has asked for yet are read, which takes a while if there are
    /// many: to find one, use `ids` and `entry(named:)`.
    package var entries: [Entry] {
        ids.compactMap { byID[$0] }.concurrentMap { $0.entry }.compactMap { $0 }
    }

    /// The entries whose own files have a text. No other descriptor is decoded.
    func entries(mentioning text: String) -> [Entry] {
        ids.compactMap { byID[$0] }.filter { $0.file.text.contains(text) }.compactMap(\.entry)
    }

    /// All ids. No descriptor is decoded for them.
    public var ids: [ProviderID] { byID.keys.sorted() }

    /// Entries that a later one of the same id overrides, in the order they were overridden.
    package var hidden: [Entry] { overridden.compactMap(\.entry) }

    /// Where the descriptor of an id came from; `nil` if there is none.
    package func origin(of id: ProviderID) -> Origin? { byID[id]?.origin }

    /// Adds descriptors. A file with errors is added to `broken` and changes nothing else.
    ///
    /// A descriptor may extend one that is added later. Until then it is in `broken`.
    ///
    /// - Parameters:
    ///   - origin: Where they are from; for messages. By default they are part of the program.
    ///   - overriding: `false` for an untrusted place, such as the working folder. Its descriptors can only add ids: a
    ///     descriptor whose id another place has, before or after, is `refused`. While another place has something that
    ///     cannot be read, it adds nothing. Descriptors of other places cannot extend them.
    public mutating func add(_ files: some Sequence<SourceFile>, origin: Origin = .builtIn, overriding: Bool = true) {
        let added = files.map { Source(written: RegisteredFile($0), origin: origin) }
        sources += added
        if !overriding { guests.insert(origin) }
        guard !guests.isEmpty || sources.contains(where: { $0.written.parentID != nil || $0.written.isEmbedded }) else {
            for source in added { register(source.document, source.origin) }
            return
        }
        registerAgain()
    }

    /// The same with what could not be read at the place.
    mutating func add(_ files: [SourceFile], unreadable errors: [SourceFileError], origin: Origin, overriding: Bool) {
        unreadable[origin] = errors
        add(files, origin: origin, overriding: overriding)
    }

    /// The same registry after a place was read again: what is there now stands where its descriptors stood.
    package func replacing(
        _ origin: Origin, with files: some Sequence<SourceFile>, unreadable errors: [SourceFileError] = []
    ) -> ProviderRegistry {
        var registry = self
        registry.unreadable[origin] = errors
        let place = sources.firstIndex { $0.origin == origin } ?? sources.endIndex
        registry.sources.removeAll { $0.origin == origin }
        registry.sources.insert(
            contentsOf: files.map { Source(written: RegisteredFile($0), origin: origin) }, at: place)
        registry.registerAgain()
        return registry
    }

    private mutating func registerAgain() {
        (byID, overridden, broken) = ([:], [], [])
        let own = sources.filter { !guests.contains($0.origin) }
        // A file with errors has its id too: nobody else takes its place while it is repaired.
        let taken = Set(own.compactMap(\.written.id))
        func isTaken(_ source: Source) -> Bool { source.written.id.map(taken.contains) ?? false }
        let others = sources.filter { guests.contains($0.origin) }
        unused = others.filter(isTaken)
        // What cannot be read may have any id, so every id counts as taken.
        let isAnyTaken =
            own.contains { $0.written.id == nil }
            || unreadable.contains { !$0.value.isEmpty && !guests.contains($0.key) }
        withheld = isAnyTaken ? others.filter { !isTaken($0) } : []
        let added = isAnyTaken ? [] : others.filter { !isTaken($0) }

        let families = Self.families(touchedBy: own + added)
        let deferred = own.filter { !$0.isIn(families) }.map(\.written)
        let present = own.filter { $0.isIn(families) }
        var completed = Inheritance.complete(present.map(\.document), names: taken.sorted())[...]
        for source in own {
            if !source.isIn(families) {
                register(source, among: deferred)
            } else if let document = completed.popFirst() {
                register(document, source.origin)
            }
        }
        guard !added.isEmpty else { return }
        let further = Inheritance.complete((present + added).map(\.document), names: taken.sorted()).suffix(added.count)
        for (source, document) in zip(added, further) { register(document, source.origin) }
    }

    /// The ids of the embedded descriptors that other files override or extend, and of all that these extend or that
    /// extend them. The rest are as they were at build time, so that they can wait until somebody asks for them.
    private static func families(touchedBy sources: [Source]) -> Set<ProviderID> {
        let own = sources.map(\.written).filter { !$0.isEmbedded }
        return families(of: Set(own.flatMap { [$0.id, $0.parentID].compactMap { $0 } }), in: sources)
    }

    private static func families(of ids: Set<ProviderID>, in sources: [Source]) -> Set<ProviderID> {
        var family = ids
        let heirs = sources.compactMap { source -> (id: ProviderID, parent: ProviderID)? in
            guard source.written.isEmbedded, let id = source.written.id, let parent = source.written.parentID else {
                return nil
            }
            return (id, parent)
        }
        var isGrowing = !family.isEmpty
        while isGrowing {
            isGrowing = false
            for heir in heirs where family.contains(heir.id) != family.contains(heir.parent) {
                family.formUnion([heir.id, heir.parent])
                isGrowing = true
            }
        }
        return family
    }

    /// Registers an embedded descriptor without reading it.
    private mutating func register(_ source: Source, among embedded: [RegisteredFile]) {
        guard let id = source.written.id else { return }
        var ancestors: [RegisteredFile] = []
        var parentID = source.written.parentID
        while let id = parentID, ancestors.count < Inheritance.maximumDepth,
            let parent = embedded.last(where: { $0.id == id })
        {
            ancestors.append(parent)
            parentID = parent.parentID
        }
        register(RegisteredEntry(source.written, extending: ancestors, origin: source.origin), id)
    }

    private mutating func register(_ entry: RegisteredEntry, _ id: ProviderID) {
        if let previous = byID.updateValue(entry, forKey: id) { overridden.append(previous) }
    }

    private mutating func register(_ document: DescriptorDocument, _ origin: Origin) {
        guard var descriptor = document.descriptor else {
            broken.append(document)
            return
        }
        if guests.contains(origin) { descriptor.isFromNamedPlace = false }
        register(RegisteredEntry(Entry(descriptor, document, origin: origin)), descriptor.id)
    }

    /// Files of places that may not override, with ids that are taken: they do nothing, not even as parents. Exact
    /// copies of what they would override are left out.
    package var refused: [Source] {
        unused.filter { source in
            source.written.id.flatMap { byID[$0]?.file.bytes } != source.written.file.bytes
        }
    }

    /// The files that count, as they are written, in the order in which they were added. Of the embedded ones, those of
    /// the families that the ids belong to.
    package func written(inFamiliesOf ids: Set<ProviderID>) -> [DescriptorDocument] {
        let unused = Set((unused + withheld).map(\.written.file))
        let families = Self.families(of: ids, in: sources).union(Self.families(touchedBy: sources))
        return sources.filter { source in
            source.isIn(families) && (!guests.contains(source.origin) || !unused.contains(source.written.file))
        }.map(\.document)
    }

    /// The entry under a name.
    ///
    /// - Throws: `UnknownProviderError` with the nearest names.
    package func entry(named name: String) throws(UnknownProviderError) -> Entry {
        guard let entry = byID[ProviderID(rawValue: name)]?.entry else {
            throw UnknownProviderError(
                name: name, nearest: nearest(to: name), broken: brokenDocument(for: name)?.file.path)
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

    /// A file that would define an id if it had no errors.
    package func brokenDocument(for name: String) -> DescriptorDocument? {
        broken.first { document in
            let file = document.file.path.split(separator: "/").last ?? ""
            return document.id?.rawValue == name || file == "\(name).yaml" || file == "\(name).yml"
        }
    }
}

extension ProviderRegistry.Source {
    /// Whether a file is to be read: an embedded one only if it is of one of these families.
    fileprivate func isIn(_ families: Set<ProviderID>) -> Bool {
        !written.isEmbedded || written.id.map(families.contains) ?? true
    }
}

/// There is no provider with this id.
public struct UnknownProviderError: Error, Hashable, Sendable, Described {
    package var name: String
    /// Up to three similar ids.
    package var nearest: [String]
    /// A file that would define the id if it had no errors.
    package var broken: String?

    package var summary: String {
        let unknown = "there is no provider \"\(name)\""
        if let broken { return "\(unknown): \(broken) has errors; run carnet lint on it" }
        return nearest.isEmpty ? unknown : "\(unknown); did you mean \(nearest.joined(separator: " or "))?"
    }
}
