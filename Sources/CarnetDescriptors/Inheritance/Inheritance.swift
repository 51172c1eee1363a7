import CarnetFoundation

/// Completes descriptors with those that they extend.
package struct Inheritance {
    /// How many files a descriptor may be made of.
    static let maximumDepth = 16

    private let documents: [DescriptorDocument]
    /// Whether a descriptor in the folder of a file is its parent before all others.
    private let prefersNeighbours: Bool
    /// The ids that a misspelled id may have meant.
    private let spellings: [ProviderID]
    private var indices: [ProviderID: [Int]] = [:]
    private var completed: [Int: DescriptorDocument] = [:]

    private init(_ documents: [DescriptorDocument], names: [ProviderID], prefersNeighbours: Bool) {
        self.documents = documents
        self.prefersNeighbours = prefersNeighbours
        spellings = documents.compactMap(\.id) + names
        for (index, document) in documents.enumerated() {
            if let id = document.id { indices[id, default: []].append(index) }
        }
    }

    /// The documents with what they inherit, or with the reason why they cannot.
    ///
    /// - Parameters:
    ///   - documents: As they are written, in the order of registration: a later one hides an earlier one of its id,
    ///     and may extend it.
    ///   - names: Further ids that a misspelled one may have meant.
    ///   - prefersNeighbours: Whether a descriptor in the folder of a file is its parent before all others.
    package static func complete(
        _ documents: [DescriptorDocument], names: [ProviderID] = [], prefersNeighbours: Bool = false
    ) -> [DescriptorDocument] {
        guard documents.contains(where: { $0.parentID != nil }) else { return documents }
        var inheritance = Inheritance(documents, names: names, prefersNeighbours: prefersNeighbours)
        return documents.indices.map { inheritance.complete($0) }
    }

    private mutating func complete(_ index: Int) -> DescriptorDocument {
        if let known = completed[index] { return known }
        let result = completion(of: index)
        completed[index] = result
        return result
    }

    private mutating func completion(of index: Int) -> DescriptorDocument {
        let document = documents[index]
        guard let parentID = document.parentID, document.isSound || candidates(for: index).isEmpty else {
            return document
        }
        let place = document.span(of: ["extends"])
        func refused(
            _ rule: DiagnosticExplanation, _ message: String, help: String, related: [Diagnostic.Related] = []
        ) -> DescriptorDocument {
            document.adding([
                rule.diagnostic(message, file: document.file.path, span: place, help: help, related: related)
            ])
        }
        guard let parentIndex = parent(of: index) else {
            guard parentID != document.id else {
                return refused(
                    InheritanceDiagnostics.unknownParent, "there is no other descriptor \"\(parentID)\" to extend",
                    help: "a descriptor can extend the descriptor with the same id that it overrides")
            }
            let nearest = nearestName(to: parentID.rawValue, in: spellings.map(\.rawValue))
            return refused(
                InheritanceDiagnostics.unknownParent, "there is no provider \"\(parentID)\"",
                help: nearest.map { "did you mean \"\($0)\"?" }
                    ?? "write the parent as \(parentID).yaml beside this file, or name its folder by --providers")
        }
        switch ancestry(of: index) {
        case .cycle(let chain):
            return refused(
                InheritanceDiagnostics.cycle, "the descriptor extends itself: \(names(chain + [index]))",
                help: "remove 'extends' from one of them",
                related: chain.dropFirst().map { documents[$0] }.map {
                    .init(message: "the next in the cycle", file: $0.file.path, span: $0.span(of: ["extends"]))
                })
        case .tooLong(let chain):
            return refused(
                InheritanceDiagnostics.cycle,
                "the descriptor extends more than \(Self.maximumDepth - 1) others: \(names(chain))",
                help: "extend one of the first descriptors of the chain")
        case .ends: break
        }
        let parent = complete(parentIndex)
        guard parent.descriptor != nil else {
            return refused(
                InheritanceDiagnostics.brokenParent,
                "the descriptor \"\(parentID)\" has errors, so this one cannot inherit from it",
                help: "fix \(parent.file.path) first",
                related: parent.diagnostics.first { $0.severity == .error }.map {
                    [.init(message: $0.message, file: $0.file, span: $0.span)]
                } ?? [])
        }
        return DescriptorDocument(document, extending: parent)
    }

    private enum Ancestry {
        case ends
        /// The file itself and what leads back to it.
        case cycle([Int])
        case tooLong([Int])
    }

    private func ancestry(of index: Int) -> Ancestry {
        var chain = [index]
        while let next = parent(of: chain[chain.count - 1]) {
            if next == index { return .cycle(chain) }
            // A circle further up is the parent's own error.
            if chain.contains(next) { return .ends }
            chain.append(next)
            if chain.count > Self.maximumDepth { return .tooLong(chain) }
        }
        return .ends
    }

    /// The descriptor that one extends: the latest of that id, or of its own id the one that it hides. A file with
    /// errors hides nothing.
    private func parent(of index: Int) -> Int? {
        guard documents[index].isSound else { return nil }
        let candidates = candidates(for: index)
        return candidates.last { documents[$0].isSound } ?? candidates.last
    }

    /// The documents with the id that another extends.
    private func candidates(for index: Int) -> [Int] {
        guard let parentID = documents[index].parentID else { return [] }
        let all = (indices[parentID] ?? []).filter { parentID != documents[index].id || $0 < index }
        guard prefersNeighbours, !documents[index].file.isEmbedded else { return all }
        let folder = Path.folder(of: documents[index].file.path)
        let neighbours = all.filter { index in
            let file = documents[index].file
            return !file.isEmbedded && Path.folder(of: file.path) == folder
        }
        return neighbours.isEmpty ? all : neighbours
    }

    private func names(_ chain: [Int]) -> String {
        chain.compactMap { documents[$0].id?.rawValue }.joined(separator: " -> ")
    }
}
