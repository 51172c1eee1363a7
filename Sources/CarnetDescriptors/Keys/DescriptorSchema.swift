/// The JSON Schema (draft 2020-12) of a descriptor, made from the table of keys.
///
/// It accepts what the decoder accepts, as far as a schema can say it: what joins two keys is for the linter alone.
public struct DescriptorSchema: Sendable {
    /// The schema document.
    public static var document: JSONValue { DescriptorSchema(of: ProviderDescriptor.shape).document }

    private let shape: Shape
    /// The sections with several places, which are defined once.
    private let shared: [SectionDescription]

    private init(of shape: Shape) {
        self.shape = shape
        let uses = Dictionary(grouping: shape.sectionUses().map(\.section), by: \.name)
        shared = uses.values.filter { $0.count > 1 }.map { $0[0] }.sorted { $0.name < $1.name }
    }

    private var document: JSONValue {
        let head: JSONValue = [
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "Carnet provider descriptor",
            "description": "An OAuth 2.0 or OpenID Connect provider as one YAML file.",
        ]
        var document = head.adding(schema(of: shape))
        if !shared.isEmpty {
            document = document.adding(["$defs": .named(shared.map { ($0.name, schema(of: $0)) })])
        }
        return document
    }

    private func schema(of shape: Shape) -> JSONValue {
        switch shape {
        case .text(_, nil, let takesScalars):
            ["type": type(takesScalars: takesScalars), "minLength": 1]
        case .text(_, let pattern?, let takesScalars):
            ["type": type(takesScalars: takesScalars), "pattern": .string(pattern)]
        case .integer(let range) where range.count == 1:
            ["const": JSONValue(integerLiteral: range.lowerBound)]
        case .integer(let range):
            [
                "type": "integer",
                "minimum": JSONValue(integerLiteral: range.lowerBound),
                "maximum": JSONValue(integerLiteral: range.upperBound),
            ]
        case .boolean: ["type": "boolean"]
        case .choice(let names): ["enum": .array(names.map(JSONValue.string))]
        case .list(let element): ["type": "array", "items": schema(of: element)]
        case .map(let value): ["type": "object", "additionalProperties": schema(of: value)]
        case .section(let section):
            shared.contains { $0.name == section.name }
                ? ["$ref": .string("#/$defs/\(section.name)")] : schema(of: section)
        case .either(let shapes): ["anyOf": .array(shapes.map(schema))]
        case .json: [:]
        }
    }

    /// A number or a word that is written without quotes reaches a validator as what YAML takes it for.
    private func type(takesScalars: Bool) -> JSONValue {
        takesScalars ? ["string", "number", "boolean"] : "string"
    }

    private func schema(of section: SectionDescription) -> JSONValue {
        let properties = section.keys.map { key in
            (key.name, JSONValue.named([("description", .string(key.summary))]).adding(schema(of: key.shape)))
        }
        let required = section.keys.filter(\.isRequired).map { JSONValue.string($0.name) }
        let mapping: JSONValue = [
            "type": "object", "properties": .named(properties), "additionalProperties": false,
        ]
        return required.isEmpty ? mapping : mapping.adding(["required": .array(required)])
    }
}

extension JSONValue {
    /// An object with members in this order.
    fileprivate static func named(_ members: [(String, JSONValue)]) -> JSONValue {
        .object(JSONObject(members: members.map { JSONObject.Member(name: $0, value: $1) }))
    }

    /// An object with the members of another one after its own.
    fileprivate func adding(_ other: JSONValue) -> JSONValue {
        .object(JSONObject(members: (object?.members ?? []) + (other.object?.members ?? [])))
    }
}
