import CarnetFoundation

@testable import CarnetDescriptors

/// A place of the language where a value stands, and the smallest descriptor around it.
struct LanguagePlace: Sendable {
    /// The keys that lead there; `[]` is an element of a list, `NAME` a name of the author's own.
    let path: String
    let shape: Shape
    /// A descriptor that has a value at this place, and otherwise what it must have.
    let descriptor: @Sendable (JSONValue) -> JSONValue

    /// Every place: each key of each table, each element and each value of a mapping.
    static let all = places(of: DescriptorRules.shape, at: "") { $0 }

    private static func places(
        of shape: Shape,
        at path: String,
        _ descriptor: @escaping @Sendable (JSONValue) -> JSONValue
    ) -> [LanguagePlace] {
        [LanguagePlace(path: path, shape: shape, descriptor: descriptor)] + inner(shape, path, descriptor)
    }

    private static func inner(
        _ shape: Shape,
        _ path: String,
        _ descriptor: @escaping @Sendable (JSONValue) -> JSONValue
    ) -> [LanguagePlace] {
        switch shape {
        case .text, .integer, .boolean, .choice, .variant, .json, .structure, .null: []
        case .list(let element): places(of: element, at: path + "[]") { descriptor([$0]) }
        case .map(let value): places(of: value, at: path + ".NAME") { descriptor(["given": $0]) }
        case .either(let shapes): shapes.flatMap { inner($0, path, descriptor) }
        case .section(let section):
            section.keys.flatMap { key in
                places(of: key.shape, at: path.isEmpty ? key.name : "\(path).\(key.name)") { value in
                    descriptor(section.value([key.name: value]))
                }
            }
        }
    }

    /// The sections that can stand here.
    var sections: [SectionDescription] {
        switch shape {
        case .section(let section): [section]
        case .either(let shapes): shapes.compactMap { if case .section(let section) = $0 { section } else { nil } }
        default: []
        }
    }
}

extension SectionDescription {
    /// A mapping with these members and the required keys.
    func value(_ members: [String: JSONValue]) -> JSONValue {
        var object = JSONObject()
        for key in keys where key.isRequired { object[key.name] = key.shape.value(.first) }
        for (name, value) in members { object[name] = value }
        return .object(object)
    }
}

extension Shape {
    enum Alternative {
        case first
        case last
    }

    /// Texts by the pattern that they fit. To compile a pattern takes longer than all else that makes a value.
    private static let texts = Lock<[String: String]>([:])

    private static func text(fitting pattern: String) -> String {
        texts.withLock { texts in
            if let known = texts[pattern] { return known }
            let text = ["acme", "/acme", "#acac00"].first { (try? Regex(pattern).wholeMatch(in: $0)) != nil } ?? ""
            texts[pattern] = text
            return text
        }
    }

    /// A value of this shape with every key, and of several kinds the first or the last.
    func value(_ alternative: Alternative) -> JSONValue {
        switch self {
        case .text(_, let pattern, _): return .string(pattern.map(Self.text) ?? "acme")
        case .integer(let range): return .number(String(alternative == .first ? range.lowerBound : range.upperBound))
        case .boolean: return .bool(alternative == .first)
        case .choice(let names): return (alternative == .first ? names.first : names.last).map(JSONValue.string) ?? nil
        case .list(let element): return [element.value(alternative)]
        case .map(let value): return ["given": value.value(alternative)]
        case .section(let section):
            var object = JSONObject()
            for key in section.keys { object[key.name] = key.shape.value(alternative) }
            return .object(object)
        case .either(let shapes): return (alternative == .first ? shapes.first : shapes.last)?.value(alternative) ?? nil
        case .variant: return ["issuer": "acme"]
        case .json, .structure: return ["given": nil]
        case .null: return nil
        }
    }
}

extension JSONValue {
    /// The value as a descriptor file: JSON is YAML.
    var document: DescriptorDocument { DescriptorDocument(SourceFile(path: "given.yaml", text: jsonText())) }
}
