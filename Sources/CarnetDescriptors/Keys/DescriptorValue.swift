package import CarnetFoundation

/// A value that can stand in a descriptor.
protocol DescriptorValue: Sendable {
    static var shape: Shape { get }
    /// Reads the value; `nil` when a diagnostic was reported.
    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder)
    /// The value as a descriptor writes it without a short form; `nil` for a template that cannot be filled.
    func json(_ filler: TemplateFiller) -> JSONValue?
    /// How many of them one list or mapping may hold. It bounds what a file costs.
    static var maximumCount: Int { get }
}

extension DescriptorValue {
    static var maximumCount: Int { .max }
}

/// Fills the templates of a descriptor where it is written as JSON.
typealias TemplateFiller = (Template) -> String?

/// A value that may be missing; one with an error is missing, too.
extension Optional: DescriptorValue where Wrapped: DescriptorValue {
    static var shape: Shape { Wrapped.shape }

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) { self = Wrapped(node, &decoder) }

    func json(_ filler: TemplateFiller) -> JSONValue? { flatMap { $0.json(filler) } }
}

/// A value that its description is the text of.
extension DescriptorValue where Self: CustomStringConvertible {
    func json(_ filler: TemplateFiller) -> JSONValue? { .string(description) }
}

extension YAMLNode {
    var isNull: Bool { scalar?.isNull ?? false }
    /// A scalar other than null.
    var written: YAMLScalar? { scalar.flatMap { $0.isNull ? nil : $0 } }
}

extension String: DescriptorValue {
    static var shape: Shape { .text("a string") }

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        guard let scalar = decoder.expect(node.scalar.flatMap { $0.isText ? $0 : nil }, node, Self.shape) else {
            return nil
        }
        guard !scalar.text.isEmpty else {
            decoder.report(
                .emptyValue, "the string is empty", at: node.span, help: "leave the key out if it is not needed")
            return nil
        }
        self = scalar.text
    }

    func json(_ filler: TemplateFiller) -> JSONValue? { .string(self) }
}

extension Bool: DescriptorValue {
    static var shape: Shape { .boolean }

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        guard let value = decoder.expect(node.scalar?.boolean, node, Self.shape) else { return nil }
        self = value
    }

    func json(_ filler: TemplateFiller) -> JSONValue? { .bool(self) }
}

extension Array: DescriptorValue where Element: DescriptorValue {
    static var shape: Shape { .list(of: Element.shape) }

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        guard let elements = decoder.expect(node.elements, node, Self.shape),
            decoder.allows(elements.count, atMost: Element.maximumCount, { elements[$0].span })
        else { return nil }
        // Lists are not merged, so each element is whole.
        self = decoder.reading(aPart: false) { decoder in elements.compactMap { Element($0, &decoder) } }
    }

    func json(_ filler: TemplateFiller) -> JSONValue? { .array(compactMap { $0.json(filler) }) }
}

/// A whole number within a range that the type states.
protocol BoundedInteger: DescriptorValue {
    static var range: ClosedRange<Int> { get }
    init(_ value: Int)
    var value: Int { get }
}

extension BoundedInteger {
    static var shape: Shape { .integer(range) }

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        let number = node.scalar?.integer.flatMap { Self.range.contains($0) ? $0 : nil }
        guard let value = decoder.expect(number, node, Self.shape) else { return nil }
        self.init(value)
    }

    func json(_ filler: TemplateFiller) -> JSONValue? { .number(String(value)) }
}

/// A closed list of words.
protocol DescriptorChoice: DescriptorValue, CaseIterable, RawRepresentable where RawValue == String {
}

extension DescriptorChoice {
    static var shape: Shape { .choice(allCases.map(\.rawValue)) }

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        guard let scalar = decoder.expect(node.written, node, Self.shape) else { return nil }
        guard let value = Self(rawValue: scalar.text) else {
            decoder.reportNotAllowed(node, allowed: Self.allCases.map(\.rawValue))
            return nil
        }
        self = value
    }

    func json(_ filler: TemplateFiller) -> JSONValue? { .string(rawValue) }
}

/// An author-defined name with its value. A mapping is read as a list of these, in file order.
@usableFromInline
package struct Named<Value: Sendable>: Sendable {
    @usableFromInline package var name: String
    @usableFromInline package var value: Value

    @inlinable
    package init(_ name: String, _ value: Value) {
        self.name = name
        self.value = value
    }
}

extension Named: Equatable where Value: Equatable {}
extension Named: Hashable where Value: Hashable {}

/// A mapping with free names, in file order.
@usableFromInline
package struct NamedList<Value: Sendable>: Sendable {
    @usableFromInline package var items: [Named<Value>]

    package init(_ items: [Named<Value>] = []) {
        self.items = items
    }

    @inlinable @inline(__always) package subscript(name: String) -> Value? {
        // Values can be large, so only the requested one is copied.
        for index in items.indices where items[index].name == name { return items[index].value }
        return nil
    }

    @inlinable package func contains(_ name: String) -> Bool { items.contains { $0.name == name } }
    @inlinable public var names: [String] { items.map { $0.name } }
    @inlinable package var isEmpty: Bool { items.isEmpty }
}

extension NamedList: Equatable where Value: Equatable {}
extension NamedList: Hashable where Value: Hashable {}

extension NamedList: DescriptorValue where Value: DescriptorValue {
    static var shape: Shape { .map(of: Value.shape) }

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        guard let entries = decoder.named(node, Self.shape, atMost: Value.maximumCount) else { return nil }
        items = entries.compactMap { entry in Value(entry.value, &decoder).map { Named(entry.key, $0) } }
    }

    func json(_ filler: TemplateFiller) -> JSONValue? {
        var (object, known) = (JSONObject(), Set<ByteKey>())
        for item in items {
            guard let value = item.value.json(filler) else { continue }
            if !known.insert(ByteKey(item.name)).inserted { object[item.name] = nil }
            object.append(item.name, value)
        }
        return .object(object)
    }
}

extension JSONValue: DescriptorValue {
    static var shape: Shape { .json }

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) { self.init(node) }

    /// The JSON that YAML stands for.
    package init(_ node: YAMLNode) {
        switch node.content {
        case .mapping(let entries):
            var object = JSONObject()
            // The keys of a mapping are unique.
            for entry in entries { object.append(entry.key, JSONValue(entry.value)) }
            self = .object(object)
        case .sequence(let elements):
            self = .array(elements.map { JSONValue($0) })
        case .scalar(let scalar):
            self =
                scalar.isNull
                ? .null
                : scalar.boolean.map { .bool($0) } ?? scalar.number.map { .number($0) } ?? .string(scalar.text)
        }
    }

    func json(_ filler: TemplateFiller) -> JSONValue? { self }
}

/// One JSON Pointer, or several of which the first that leads to a value counts.
package struct PointerList: Hashable, Sendable {
    package var pointers: [JSONPointer]

    package init(_ pointers: [JSONPointer]) {
        self.pointers = pointers
    }
}

extension JSONPointer: DescriptorValue {
    static var shape: Shape {
        .text("a JSON Pointer such as /user/name", pattern: "^(/([^~]|~[01])*)?$")
    }

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        guard let text = decoder.expect(node.written, node, Self.shape)?.text else { return nil }
        // Braces that are no template belong to a member's name.
        guard let pointer = JSONPointer(text), (try? Template(text, in: .anywhere))?.isLate != true else {
            decoder.report(
                .badPointer, "\"\(text)\" is not a JSON Pointer", at: node.span, help: Self.help(for: text))
            return nil
        }
        self = pointer
    }

    /// What to write for a text in another notation.
    private static func help(for text: String) -> String {
        if text.holds(UInt8(ascii: "{")) {
            return
                "a pointer is a place in the response, such as /user/id; it takes no values but inputs, as in /{name}"
        }
        var path = text[...]
        if path.hasPrefix("$") { path = path.dropFirst() }
        let steps = path.utf8.split { ".[]/".utf8.contains($0) }.map { String(Substring($0)) }
        let isPath =
            !steps.isEmpty
            && steps.allSatisfy { $0.utf8.allSatisfy { ASCII.isAlphanumeric($0) || $0 == 0x5F || $0 == 0x2D } }
        let example =
            isPath && text.utf8.first != UInt8(ascii: "/") ? JSONPointer(tokens: steps).description : "/\(text)"
        return "a pointer starts with /, e.g. \(example) (RFC 6901); ~0 stands for ~ and ~1 for /"
    }
}

extension PointerList: DescriptorValue {
    static var shape: Shape { .either([JSONPointer.shape, .list(of: JSONPointer.shape)]) }

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        guard !node.isNull else {
            decoder.report(
                .wrongType, "found nothing", at: node.span,
                help: "expected a JSON Pointer such as /user/name, or [] for a value that is never there")
            return nil
        }
        let list = node.elements == nil ? JSONPointer(node, &decoder).map { [$0] } : [JSONPointer](node, &decoder)
        guard let list else { return nil }
        self.init(list)
    }

    func json(_ filler: TemplateFiller) -> JSONValue? { pointers.json(filler) }
}
