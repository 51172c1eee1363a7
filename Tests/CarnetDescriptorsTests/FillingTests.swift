import Testing

@testable import CarnetDescriptors

@Suite("Filling")
struct FillingTests {
    /// A value of every shape, with every key of every section.
    private func value(_ shape: Shape, in root: Shape) -> JSONValue {
        switch shape {
        case .text, .json: "x"
        case .integer(let range): .number(String(range.lowerBound))
        case .boolean: true
        case .choice(let names): .string(names[0])
        case .list(let element): [value(element, in: root)]
        case .map(let element): ["name": value(element, in: root)]
        case .section(let section):
            .object(
                JSONObject(
                    members: section.keys.filter { $0.name != "environments" }.map { key in
                        JSONObject.Member(name: key.name, value: value(key.shape, in: root))
                    }))
        // The richest of several forms stands last.
        case .either(let shapes): shapes.last.map { value($0, in: root) } ?? .null
        case .variant: .object(JSONObject())
        }
    }

    @Test("Every key of the table is there")
    func everyKeyOfTheTable() {
        let all = value(ProviderDescriptor.shape, in: ProviderDescriptor.shape)
        let document = DescriptorDocument(SourceFile(path: "all.yaml", text: all.jsonText(.indented)))
        #expect(document.root != nil)
        #expect(document.filled(environment: nil, with: [:]) == all)
    }

    @Test("Templates are filled, and places that are no inputs stay")
    func templatesAreFilledAndPlaces() throws {
        let document = DescriptorDocument(
            SourceFile(
                path: "acme.yaml",
                text: """
                    carnet: 1
                    id: acme
                    name: Acme
                    inputs: { tenant: {}, region: { optional: true } }
                    issuer: https://id.acme.example/{tenant}
                    redirects: ["{tenant}:/callback"]
                    authorization: { parameters: { organization: "{tenant}", region: "{region}", number: 1 } }
                    environments: { sandbox: { issuer: "https://sandbox.acme.example/{tenant}" } }

                    """))
        #expect(document.diagnostics.isEmpty, "\(document.diagnostics)")
        let plain = document.filled(environment: nil, with: ["tenant": "t1"])
        #expect(plain["issuer"] == "https://id.acme.example/t1")
        #expect(plain["redirects"] == ["{tenant}:/callback"])
        #expect(plain["authorization"] == ["parameters": ["organization": "t1", "number": 1]])
        let sandbox = document.filled(environment: "sandbox", with: ["tenant": "t1"])
        #expect(sandbox["issuer"] == "https://sandbox.acme.example/t1")
    }
}
