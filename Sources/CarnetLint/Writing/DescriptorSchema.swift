import CarnetDescriptors
package import CarnetFoundation

/// The JSON Schema (draft 2020-12) of a descriptor, made from the table of keys.
///
/// It accepts what the decoder accepts, as far as a schema can say it: what joins two keys is for the linter alone.
package struct DescriptorSchema: Sendable {
    /// The schema document.
    package static let document = DescriptorSchema(of: DescriptorRules.shape).document

    /// The schema of a resource map in a file of its own: a list of entries, or a mapping with nothing but them.
    package static var resourceMap: JSONValue {
        document(
            of: ResourceMapFile.shape, title: "Carnet resource map",
            "The resources that granted scopes allow, as one YAML or JSON file.")
    }

    /// The schema of a file that is no descriptor.
    package static func document(of shape: Shape, title: String, _ description: String) -> JSONValue {
        let head: JSONValue = [
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": .string(title),
            "description": .string(description),
        ]
        return head.adding(DescriptorSchema(of: DescriptorRules.shape, shared: []).schema(of: shape, .whole))
    }

    private let shape: Shape
    /// The sections with several places, which are defined once.
    private let shared: [SectionDescription]

    private init(of shape: Shape, shared: [SectionDescription]) {
        self.shape = shape
        self.shared = shared
    }

    private init(of shape: Shape) {
        let uses = Dictionary(grouping: shape.sectionUses().map(\.section), by: \.name)
        let shared = uses.values.filter { $0.count > 1 }.map { $0[0] }.sorted { $0.name < $1.name }
        self.init(of: shape, shared: shared)
    }

    /// A descriptor is whole, or it extends another: then it may leave out what it inherits, and delete it with null.
    private enum Completeness: String, CaseIterable {
        case whole = ""
        case extending = "Extending"

        func definition(_ section: SectionDescription) -> String { rawValue + section.name }

        func reference(_ section: SectionDescription) -> JSONValue {
            ["$ref": .string("#/$defs/\(definition(section))")]
        }
    }

    private var document: JSONValue {
        guard case .section(let root) = shape else { return schema(of: shape, .whole) }
        let definitions = ([root] + shared).flatMap { section in
            Completeness.allCases.map { ($0.definition(section), schema(of: section, $0)) }
        }
        return [
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "Carnet provider descriptor",
            "description": "An OAuth 2.0 or OpenID Connect provider as one YAML file.",
            "type": "object",
            "required": required(root),
            "if": ["required": ["extends"], "properties": ["extends": ["type": "string"]]],
            "then": Completeness.extending.reference(root),
            "else": Completeness.whole.reference(root),
            "$defs": .named(definitions),
        ]
    }

    private func required(_ section: SectionDescription) -> JSONValue {
        .array(section.keys.filter(\.isRequired).map { JSONValue.string($0.name) })
    }

    private func schema(of shape: Shape, _ completeness: Completeness) -> JSONValue {
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
        // Lists are not merged, so each element is whole.
        case .list(let element): ["type": "array", "items": schema(of: element, .whole)]
        case .map(let value): ["type": "object", "additionalProperties": member(value, completeness)]
        case .section(let section):
            shared.contains { $0.name == section.name }
                ? completeness.reference(section) : schema(of: section, completeness)
        case .either(let shapes): ["anyOf": .array(shapes.map { schema(of: $0, completeness) })]
        case .variant(let excluded): schema(of: variant(without: excluded), .extending)
        case .json: [:]
        case .structure: ["type": ["object", "array", "number", "boolean"]]
        case .null: ["type": "null"]
        }
    }

    private func variant(without excluded: Set<String>) -> SectionDescription {
        guard case .section(let root) = shape else { return SectionDescription(name: "Variant", keys: []) }
        return SectionDescription(name: "Variant", keys: root.keys.filter { !excluded.contains($0.name) })
    }

    /// A number or a word that is written without quotes reaches a validator as what YAML takes it for.
    private func type(takesScalars: Bool) -> JSONValue { takesScalars ? ["string", "number", "boolean"] : "string" }

    /// The value of a mapping's member, which null may delete.
    private func member(_ shape: Shape, _ completeness: Completeness) -> JSONValue {
        let schema = schema(of: shape, completeness)
        return completeness == .whole ? schema : ["anyOf": [schema, ["type": "null"]]]
    }

    private func schema(of section: SectionDescription, _ completeness: Completeness) -> JSONValue {
        let completeness = section.isWhole ? .whole : completeness
        let isRoot = shape.sectionUses().first?.section.name == section.name
        let properties = section.keys.map { key in
            // Required keys of the root are not inherited.
            let value =
                isRoot && key.isRequired ? schema(of: key.shape, completeness) : member(key.shape, completeness)
            return (key.name, JSONValue.named([("description", .string(key.summary))]).adding(value))
        }
        let deleted: [(String, JSONValue)] =
            completeness == .whole ? [] : section.alternatives.map { ($0, ["type": "null"]) }
        let mapping: JSONValue = [
            "type": "object", "properties": .named(properties + deleted), "additionalProperties": false,
        ]
        let isDemanding = completeness == .whole && !isRoot && section.keys.contains(where: \.isRequired)
        return isDemanding ? mapping.adding(["required": required(section)]) : mapping
    }
}

extension JSONValue {
    /// An object with members in this order.
    fileprivate static func named(_ members: [(String, JSONValue)]) -> JSONValue {
        .object(JSONObject(members: members.map { JSONObject.Member(name: $0, value: $1) }))
    }

    /// An object with the members of another one after its own.
    func adding(_ other: JSONValue) -> JSONValue {
        .object(JSONObject(members: (object?.members ?? []) + (other.object?.members ?? [])))
    }
}
