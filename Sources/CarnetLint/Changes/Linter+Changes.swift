package import CarnetDescriptors
import CarnetFoundation

/// An earlier version of the linted files.
package struct EarlierVersion: Sendable {
    package enum Role: Sendable {
        /// Others may extend it.
        case parent
        /// It is compared with the linted file that has its id, if there is one.
        case candidate
        /// The same, and there must be one.
        case predecessor
    }

    package struct File: Sendable {
        package let source: SourceFile
        /// The path of its successor among the linted files; where that would be, if there is none.
        package let successor: String
        package let role: Role

        package init(_ source: SourceFile, successor: String, role: Role) {
            (self.source, self.successor, self.role) = (source, successor, role)
        }
    }

    package let files: [File]

    package init(_ files: [File]) { self.files = files }
}

extension Linter {
    /// What in the files breaks users of an earlier version of them.
    ///
    /// A file with errors now is not compared: it is repaired first.
    package func changes(in files: [SourceFile], since earlier: EarlierVersion) -> [Diagnostic] {
        let new = completed(files)
        let old = completed(earlier.files.map(\.source))
        let roles = Dictionary(earlier.files.map { ($0.source.path, $0) }, uniquingKeysWith: { first, _ in first })
        var pairs: [(old: DescriptorDocument, new: DescriptorDocument)] = []
        var found: [Diagnostic] = []
        for document in old {
            guard let file = roles[document.file.path], file.role != .parent, let id = document.id else { continue }
            if let successor = new.first(where: { $0.id == id }) {
                pairs.append((document, successor))
            } else if file.role == .predecessor, let descriptor = document.descriptor, !hasEnded(descriptor) {
                let successor = new.first { $0.file.path == file.successor }
                // Then the file has an error already.
                guard successor?.id != nil || !files.contains(where: { $0.path == file.successor }) else { continue }
                let isKnown = successor.map { next in old.contains { $0.id == next.id } } ?? true
                found += removal(of: document, by: isKnown ? nil : successor, at: file.successor)
            }
        }
        for file in earlier.files where file.role != .parent {
            let own = old.first { $0.file.path == file.source.path }
            guard own?.descriptor == nil else { continue }
            let successor = new.first { $0.id == own?.id } ?? new.first { $0.file.path == file.successor }
            let document = DescriptorDocument(file.source, reader: reader)
            let error = (own?.diagnostics ?? document.diagnostics).first { $0.severity == .error }
            guard let successor, successor.descriptor != nil else { continue }
            let change = BreakingChange.notCompared(error.map { "\($0.message) [\($0.code)]" } ?? "it is no descriptor")
            found += diagnostics([change], own ?? document, successor, successor)
        }
        return found + pairs.flatMap { changes($0.old, $0.new, among: pairs.map(\.new)) }
    }

    /// All that are descriptors, with what they inherit.
    private func completed(_ files: [SourceFile]) -> [DescriptorDocument] {
        let documents = files.concurrentMap { DescriptorDocument($0, reader: reader) }.filter { $0.id != nil }
        return documents.filter { $0.parentID == nil } + heirs(among: documents.map(DescriptorOutline.init))
    }

    private func hasEnded(_ descriptor: ProviderDescriptor) -> Bool {
        switch descriptor.status {
        case .open: false
        case .closed: true
        case .retiring(let day, _, _): day < today ?? ""
        }
    }

    private func removal(of old: DescriptorDocument, by new: DescriptorDocument?, at path: String) -> [Diagnostic] {
        let id = old.id?.rawValue ?? ""
        let change = BreakingChange(
            rule: .removedProvider, path: ["id"],
            message: new?.id.map { "the id was \(id) and is \($0)" } ?? "the provider \(id) is gone",
            help: "programs and stored sign-ins name it by its id; "
                + (new?.id.map { "keep the old id in a file of its own that has extends: \($0)" }
                    ?? "keep the file with status: { closed: REASON } for a release, and remove it later"))
        guard let new else {
            return [
                change.rule.diagnostic(change.message, file: path, span: old.place(of: ["id"]).span, help: change.help)
            ]
        }
        return diagnostics([change], old, new, new)
    }

    private func changes(
        _ old: DescriptorDocument, _ new: DescriptorDocument, among linted: [DescriptorDocument]
    ) -> [Diagnostic] {
        guard let was = old.descriptor, let now = new.descriptor else { return [] }
        var known = Set<BreakingChange>()
        // What a linted parent reports already.
        if let parent = new.parent, linted.contains(where: { $0.file.path == parent.file.path }),
            let before = old.parent?.descriptor, let after = parent.descriptor, before.id == after.id
        {
            known = Set(DescriptorComparison(before, after).changes)
        }
        func fresh(_ changes: [BreakingChange]) -> [BreakingChange] { changes.filter { known.insert($0).inserted } }
        var found = diagnostics(fresh(DescriptorComparison(was, now).changes), old, new, new)
        for variant in new.variants {
            guard let now = variant.descriptor, let name = now.environment, was.environmentNames.contains(name),
                let was = try? was.variant(name)
            else { continue }
            found += diagnostics(fresh(DescriptorComparison(was, now).changes), old, new, variant)
        }
        return found
    }

    /// The findings at their places in the new file, without those that a new note explains.
    ///
    /// - Parameter variant: The new document, or it in one of its environments.
    private func diagnostics(
        _ changes: [BreakingChange], _ old: DescriptorDocument, _ new: DescriptorDocument, _ variant: DescriptorDocument
    ) -> [Diagnostic] {
        func notes(_ document: DescriptorDocument) -> [Note] { document.descriptor?.notes ?? [] }
        let before = Set(notes(old).map { [$0.about, $0.because] })
        let explained = notes(new).filter { !before.contains([$0.about, $0.because]) }.map(\.about)
        var accepted: [String: [String]] = [:]
        return changes.compactMap { change in
            func isKnown(_ path: [String]) -> Bool { [variant.root, old.root].contains { $0?.node(at: path) != nil } }
            var change = change
            // A refresh inherits keys that are written in the section token.
            let inherited = ["token"] + change.path.dropFirst()
            if change.path.first == "refresh", !isKnown(change.path), isKnown(inherited) { change.path = inherited }
            let span = variant.nearestSpan(to: change.path)
            let nearest = new.root?.keyPath(around: span) ?? ["id"]
            // A removed key has its old path.
            let isGone =
                variant.root?.node(at: change.path) == nil
                && (old.root?.node(at: change.path) != nil || nearest == ["id"])
            let key = (isGone ? change.path : nearest).joined(separator: ".")
            // One note accepts one kind of change.
            var codes = accepted[key] ?? []
            if !codes.contains(change.rule.code), codes.count < explained.count(where: { $0 == key }) {
                codes.append(change.rule.code)
                accepted[key] = codes
            }
            guard !codes.contains(change.rule.code) else { return nil }
            var finding = new.placed(
                change.rule.diagnostic(
                    change.message, file: new.file.path, span: span,
                    help: "\(change.help); a new note with 'about: \(key)' and a reason accepts the change"))
            let place = old.place(of: change.path)
            finding.related.append(.init(message: "what was", file: place.file, span: place.span))
            return finding
        }
    }
}

extension DescriptorDocument {
    /// The place of a scalar or of an element; of the key of a longer value, or of the nearest key, if the value is not there.
    fileprivate func nearestSpan(to path: [String]) -> SourceSpan {
        guard let root else { return .fileStart }
        if let node = root.node(at: path), node.scalar != nil || Int(path.last ?? "") != nil { return node.span }
        for length in stride(from: path.count, through: 1, by: -1) {
            if let parent = root.node(at: Array(path[..<(length - 1)])), let entry = parent.entry(path[length - 1]) {
                return entry.keySpan
            }
        }
        return root.entry("id")?.value.span ?? .fileStart
    }
}
