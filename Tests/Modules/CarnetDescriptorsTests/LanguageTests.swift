import CarnetFoundation
import CarnetLint
import Testing

@testable import CarnetDescriptors

/// One table of keys: the decoder, the schema and the suggestions know the same keys.
@Suite("Language")
struct LanguageTests {
    @Test("A descriptor with every key is read without a finding", arguments: [Shape.Alternative.first, .last])
    func aDescriptorWithEveryKey(alternative: Shape.Alternative) {
        let document = DescriptorRules.shape.value(alternative).document
        #expect(document.diagnostics.isEmpty, "\(document.diagnostics)")
    }

    @Test("Every key has a place of its own")
    func everyKeyHasAPlace() {
        func check<Section: DescriptorSection>(_ section: Section.Type) {
            let slots = Section.keys.map(\.slot)
            #expect(!slots.contains(.computed), "\(section)")
            #expect(Set(slots).count == slots.count, "\(section)")
        }
        check(DescriptorRules.self)
        check(AuthorizationRules.self)
        check(DeviceRules.self)
        check(JWTBearerRules.self)
        check(LookupRules.self)
        check(ProfileRules.self)
        check(Samples.self)
    }

    @Test("Every key stands in the schema, and no other")
    func everyKeyStandsInTheSchema() {
        for branch in ["then", "else"] {
            let schema = DescriptorSchema.document[branch] ?? nil
            #expect(Set(Self.keyPaths(schema, "")) == Self.tablePaths)
        }
    }

    @Test("no key and no word is a boolean or null to a tool for YAML 1.1")
    func wordsOfOtherTools() {
        let taken: Set = ["y", "n", "yes", "no", "on", "off", "true", "false", "null", "~"]
        var count = 0
        func check(_ value: JSONValue) {
            var words = value["enum"]?.array?.compactMap(\.string) ?? []
            words += value["properties"]?.object?.members.map(\.name) ?? []
            for word in words { #expect(!taken.contains(word.lowercased()), "\(word)") }
            count += words.count
            for member in value.object?.members ?? [] { check(member.value) }
            for element in value.array ?? [] { check(element) }
        }
        check(DescriptorSchema.document)
        #expect(count > 500)
    }

    @Test("A key of which a letter is missing is suggested")
    func aKeyOfWhichALetter() {
        var count = 0
        for place in LanguagePlace.all {
            for section in place.sections {
                for key in section.keys {
                    for index in key.name.indices {
                        var misspelled = key.name
                        misspelled.remove(at: index)
                        // "resourcs" is as near to resource as to resources.
                        guard !misspelled.isEmpty, misspelled != "resourcs",
                            !section.keys.contains(where: { $0.name == misspelled })
                        else {
                            continue
                        }
                        let document = place.descriptor(section.value([misspelled: "acme"])).document
                        let help = document.diagnostics.first { $0.code == "K001" }?.help
                        #expect(help == "did you mean \"\(key.name)\"?", "\(place.path): \(misspelled)")
                        count += 1
                    }
                }
            }
        }
        #expect(count > 500)
    }

    /// The paths of all keys of all tables.
    static let tablePaths = Set(allPaths)
    /// The same for each alternative of a value.
    static let allPaths = LanguagePlace.all.flatMap { place in
        place.sections.flatMap { $0.keys.map { place.path.isEmpty ? $0.name : "\(place.path).\($0.name)" } }
    }

    private static func keyPaths(_ schema: JSONValue, _ path: String) -> [String] {
        // A variant has the keys of the descriptor again.
        if path == "environments.NAME" { return [] }
        if let name = schema["$ref"]?.string?.split(separator: "/").last,
            let definition = DescriptorSchema.document["$defs"]?[String(name)]
        {
            return keyPaths(definition, path)
        }
        var paths = (schema["anyOf"]?.array ?? []).flatMap { keyPaths($0, path) }
        if let element = schema["items"] { paths += keyPaths(element, path + "[]") }
        if let value = schema["additionalProperties"], value.object != nil { paths += keyPaths(value, path + ".NAME") }
        for member in schema["properties"]?.object?.members ?? [] {
            let inner = path.isEmpty ? member.name : "\(path).\(member.name)"
            paths += [inner] + keyPaths(member.value, inner)
        }
        return paths
    }
}
