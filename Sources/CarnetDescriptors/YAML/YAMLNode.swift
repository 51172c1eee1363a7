import CarnetFoundation

/// A YAML value with the place it was written.
///
/// Aliases are already expanded and merge keys do not exist: what is here is what the author wrote, once.
@usableFromInline
package struct YAMLNode: Hashable, Sendable {
    @usableFromInline package enum Content: Hashable, Sendable {
        case scalar(YAMLScalar)
        case sequence([YAMLNode])
        case mapping([YAMLEntry])
    }

    @usableFromInline package var content: Content
    @usableFromInline package var span: SourceSpan

    package init(_ content: Content, span: SourceSpan) {
        self.content = content
        self.span = span
    }
}

/// A scalar as written; quoted and block scalars are always strings.
@usableFromInline
package struct YAMLScalar: Hashable, Sendable {
    @usableFromInline package var text: String
    /// Whether the scalar is plain, so that `true`, `12` and `null` keep their YAML 1.2 core-schema meaning.
    package var isPlain: Bool

    package init(_ text: String, isPlain: Bool) {
        self.text = text
        self.isPlain = isPlain
    }
}

/// One key with its value.
@usableFromInline
package struct YAMLEntry: Hashable, Sendable {
    @usableFromInline package var key: String
    package var keySpan: SourceSpan
    package var value: YAMLNode

    package init(key: String, keySpan: SourceSpan, value: YAMLNode) {
        (self.key, self.keySpan, self.value) = (key, keySpan, value)
    }
}

extension [YAMLEntry] {
    /// Where a key is. This is what most time is spent on, so nothing is copied, and lengths are compared first.
    func index(of key: String) -> Int? {
        let length = key.utf8.count
        return withUnsafeBufferPointer { entries in
            entries.indices.first { entries[$0].key.utf8.count == length && entries[$0].key == key }
        }
    }
}

extension YAMLNode {
    // Inlined, because a call copies the node.

    @inlinable @inline(__always) package var entries: [YAMLEntry]? {
        if case .mapping(let entries) = content { entries } else { nil }
    }

    @inlinable @inline(__always) package var elements: [YAMLNode]? {
        if case .sequence(let elements) = content { elements } else { nil }
    }

    @inlinable @inline(__always) package var scalar: YAMLScalar? {
        if case .scalar(let scalar) = content { scalar } else { nil }
    }

    /// The entry of a mapping under a key.
    package func entry(_ key: String) -> YAMLEntry? {
        guard case .mapping(let entries) = content, let index = entries.index(of: key) else { return nil }
        return entries[index]
    }

    /// The value at a path of keys and decimal indices, if every step exists.
    package func node(at path: [String]) -> YAMLNode? {
        node(at: path, from: 0)
    }

    private func node(at path: [String], from position: Int) -> YAMLNode? {
        guard position < path.count else { return self }
        switch content {
        case .mapping(let entries):
            guard let index = entries.index(of: path[position]) else { return nil }
            return entries[index].value.node(at: path, from: position + 1)
        case .sequence(let elements):
            guard let index = Int(path[position]), elements.indices.contains(index) else { return nil }
            return elements[index].node(at: path, from: position + 1)
        case .scalar: return nil
        }
    }

    /// How a message calls this value: "a mapping", "a list", "the string \"x\"".
    package var kindDescription: String {
        guard let scalar, !scalar.isNull else { return kind }
        if scalar.boolean != nil { return "the boolean \(scalar.text)" }
        return scalar.number != nil ? "the number \(scalar.text)" : "the string \"\(scalar.text.prefix(40))\""
    }

    /// The same where the value may be a secret, with all scalars as strings.
    var kind: String {
        switch content {
        case .mapping: "a mapping"
        case .sequence: "a list"
        case .scalar(let scalar): scalar.isNull || scalar.text.isEmpty ? "nothing" : "a string"
        }
    }
}

// The YAML 1.2 core schema (section 10.3.2): `yes`, `no`, `on` and `off` are plain strings.
extension YAMLScalar {
    package var isNull: Bool {
        guard isPlain, text.utf8.count <= 4 else { return false }
        return switch text {
        case "", "~", "null", "Null", "NULL": true
        default: false
        }
    }

    package var boolean: Bool? {
        guard isPlain, (4...5).contains(text.utf8.count) else { return nil }
        switch text {
        case "true", "True", "TRUE": return true
        case "false", "False", "FALSE": return false
        default: return nil
        }
    }

    package var integer: Int? { number.flatMap { Int($0) } }

    /// Whether it is a string.
    var isText: Bool { !isNull && boolean == nil && number == nil }

    /// The text if it is a JSON number (RFC 8259, section 6).
    package var number: String? {
        guard isPlain, let first = text.utf8.first, first == UInt8(ascii: "-") || ASCII.isDigit(first),
            JSONNumber.isValid(text.utf8)
        else { return nil }
        return text
    }
}
