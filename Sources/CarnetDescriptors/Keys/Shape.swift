/// What the value of a key may look like.
///
/// The table of keys is made of shapes; the decoder's messages, the JSON Schema and the reference page are made of the
/// table, so they cannot disagree.
package indirect enum Shape: Sendable {
    /// A string.
    ///
    /// - Parameters:
    ///   - phrase: The kind of string, e.g. "a JSON Pointer such as /user/name".
    ///   - pattern: A regular expression (ECMA-262) for the whole string; without one, any string except the empty
    /// one.
    ///   - takesScalars: Whether an unquoted number, true or false is read as its text.
    case text(_ phrase: String, pattern: String? = nil, takesScalars: Bool = false)
    case integer(ClosedRange<Int>)
    case boolean
    case choice([String])
    case list(of: Shape)
    /// A mapping with author-defined names.
    case map(of: Shape)
    case section(SectionDescription)
    case either([Shape])
    /// The descriptor's other keys, with the values that differ.
    case variant(without: Set<String>)
    /// Any JSON value.
    case json
    /// A JSON value that is no string, beside strings of another shape.
    case structure
    /// No value, which removes an inherited one.
    case null
}

/// A key as documentation and completion see it.
package struct KeyDescription: Sendable {
    package let name: String
    package let summary: String
    package let isRequired: Bool
    /// Only what documents the language needs shapes; reading a file makes none of them.
    private let makeShape: @Sendable () -> Shape

    init(name: String, shape: @autoclosure @escaping @Sendable () -> Shape, summary: String, isRequired: Bool) {
        // A short string is compared as a number if both have no storage; a literal has.
        self.name = String(decoding: name.utf8, as: UTF8.self)
        self.summary = summary
        self.isRequired = isRequired
        makeShape = shape
    }

    package var shape: Shape { makeShape() }
}

/// A mapping with a fixed set of keys.
package struct SectionDescription: Sendable {
    /// Distinguishes sections; the same section may be the value of several keys.
    package let name: String
    package let keys: [KeyDescription]
    /// How a message shows the mapping where its keys alone would not do, e.g. "{ none: REASON }".
    package let phrase: String?
    /// Whether the mapping is one value, so that a descriptor which extends another says all of it or nothing.
    package let isWhole: Bool
    /// The keys of the mappings that can stand here instead: a descriptor which extends another may delete them.
    package let alternatives: [String]

    package init(
        name: String, keys: [KeyDescription], phrase: String? = nil, isWhole: Bool = false, alternatives: [String] = []
    ) {
        self.name = name
        self.alternatives = alternatives
        self.keys = keys
        self.phrase = phrase
        self.isWhole = isWhole
    }
}

extension Shape: CustomStringConvertible {
    /// How a message names what is allowed: "one of form, json", "a list of strings".
    package var description: String {
        switch self {
        case .text(let phrase, _, _): phrase
        case .integer(let range) where range.count == 1: "the number \(range.lowerBound)"
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .boolean: "true or false"
        case .choice(let names): names.count == 1 ? names[0] : "one of " + names.joined(separator: ", ")
        case .list(let element): "a list, each element \(element)"
        case .map(let value): "a mapping from names, each value \(value)"
        case .section(let section):
            section.phrase ?? "a mapping with the keys " + section.keys.map(\.name).joined(separator: ", ")
        case .either(let shapes): shapes.map(\.description).joined(separator: ", or ")
        case .variant: "the keys that differ, such as issuer and endpoints"
        case .json: "any JSON value"
        case .structure: "a JSON value whose strings are templates"
        case .null: "null"
        }
    }
}
