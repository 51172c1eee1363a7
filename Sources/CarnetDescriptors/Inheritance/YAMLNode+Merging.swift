extension YAMLNode {
    /// Whether the value at a path is one document, such as a sample, which is replaced as a whole.
    package static func isWhole(at path: [String]) -> Bool {
        let own = path.first == "environments" ? Array(path.dropFirst(2)) : path
        return switch (own.first, own.count) {
        case ("samples", 2): own[1] != "expect"
        case ("exchange", 3), ("connection", 4): own.last == "sample"
        default: false
        }
    }

    /// Whether null is a value of the mapping at a path: it removes what the section inherits from `api`.
    private static func hasNulls(at path: [String]) -> Bool {
        guard let last = path.last, ["headers", "parameters"].contains(last) else { return false }
        return path == ["profile", last] || path.count == 4 && path.starts(with: ["connection", "lookups"])
    }

    /// This value laid over another one: mappings are merged key by key, everything else replaces, and null deletes.
    ///
    /// - Parameters:
    ///   - keepsNulls: Whether nulls stay, because the result is laid over something else in turn.
    ///   - path: The keys of the value.
    package func merged(over base: YAMLNode, keepsNulls: Bool = false, at path: [String] = []) -> YAMLNode {
        guard !Self.isWhole(at: path) else { return self }
        let keepsNulls = keepsNulls || Self.hasNulls(at: path)
        guard let entries, let baseEntries = base.entries else { return keepsNulls ? self : withoutNulls(at: path) }
        let own = Dictionary(entries.map { ($0.key, $0) }) { first, _ in first }
        let known = Set(baseEntries.map(\.key))
        var merged: [YAMLEntry] = []
        for inherited in baseEntries {
            guard var entry = own[inherited.key] else {
                merged.append(inherited)
                continue
            }
            guard keepsNulls || !entry.value.isNull else { continue }
            entry.value = entry.value.merged(over: inherited.value, keepsNulls: keepsNulls, at: path + [entry.key])
            merged.append(entry)
        }
        let added = entries.filter { !known.contains($0.key) }
        merged += keepsNulls ? added : added.filter { !$0.value.isNull }.map { $0.withoutNulls(at: path) }
        return YAMLNode(.mapping(merged), span: span)
    }

    /// A descriptor laid over the one that it extends. What an environment deletes, it deletes when it is chosen.
    func extending(_ parent: YAMLNode) -> YAMLNode {
        let merged = merged(over: parent)
        guard let entries = merged.entries, let own = entry("environments")?.value, own.entries != nil else {
            return merged
        }
        let base = parent.entry("environments")?.value
        let environments = base.map { own.merged(over: $0, keepsNulls: true) } ?? own
        return YAMLNode(
            .mapping(
                entries.map { entry in
                    guard entry.key == "environments" else { return entry }
                    let kept = (environments.entries ?? []).filter { !$0.value.isNull }
                    let value = YAMLNode(.mapping(kept), span: environments.span)
                    return YAMLEntry(key: entry.key, keySpan: entry.keySpan, value: value)
                }
            ),
            span: merged.span
        )
    }

    /// The value without the entries of its mappings that only delete. What stands in a list is left as it is.
    func withoutNulls(at path: [String]) -> YAMLNode {
        guard let entries, !Self.isWhole(at: path), !Self.hasNulls(at: path) else { return self }
        return YAMLNode(
            .mapping(entries.filter { !$0.value.isNull }.map { $0.withoutNulls(at: path) }), span: span)
    }

    func withoutEntries(_ keys: Set<String>) -> YAMLNode {
        guard let entries else { return self }
        return YAMLNode(.mapping(entries.filter { !keys.contains($0.key) }), span: span)
    }

    /// The same value, written some lines further down.
    func moved(byLines count: Int) -> YAMLNode {
        var moved = self
        moved.span = span.moved(byLines: count)
        switch content {
        case .scalar: break
        case .sequence(let elements): moved.content = .sequence(elements.map { $0.moved(byLines: count) })
        case .mapping(let entries):
            moved.content = .mapping(
                entries.map {
                    YAMLEntry(
                        key: $0.key, keySpan: $0.keySpan.moved(byLines: count), value: $0.value.moved(byLines: count))
                }
            )
        }
        return moved
    }

    /// Whether two values mean the same, wherever they are written.
    package func saysTheSame(as other: YAMLNode) -> Bool {
        switch (content, other.content) {
        case (.scalar(let own), .scalar(let other)):
            // Quotes make no difference to a string, but they make one out of a number.
            own.text == other.text && own.isText == other.isText
        case (.sequence(let own), .sequence(let other)):
            own.count == other.count && zip(own, other).allSatisfy { $0.saysTheSame(as: $1) }
        case (.mapping(let own), .mapping(let other)):
            own.count == other.count
                && zip(own, other).allSatisfy { $0.key == $1.key && $0.value.saysTheSame(as: $1.value) }
        default: false
        }
    }
}

extension YAMLEntry {
    fileprivate func withoutNulls(at path: [String]) -> YAMLEntry {
        YAMLEntry(key: key, keySpan: keySpan, value: value.withoutNulls(at: path + [key]))
    }
}

extension SourceSpan {
    func moved(byLines count: Int) -> SourceSpan {
        var moved = self
        moved.start.line += count
        moved.end.line += count
        return moved
    }
}
