import CarnetFoundation
import CarnetTestSupport
import Foundation
import Testing

@testable import CarnetDescriptors

@Suite("A descriptor as JSON")
struct DescriptorJSONTests {
    @Test("What is written is read as the same descriptor, for every shipped provider that extends no other")
    func roundTrip() throws {
        let providers = Repository.root.appending(path: "providers").path
        var count = 0
        for path in try DescriptorFolder(providers).descriptorPaths() {
            let document = DescriptorDocument(try SourceFile(readingFrom: path))
            guard let descriptor = document.descriptor, descriptor.parent == nil else { continue }
            let written = try #require(descriptor.shared.value.json(\.source))
            let again = DescriptorDocument(SourceFile(path: path, text: written.jsonText(.indented)))
            #expect(again.diagnostics.isEmpty, "\(path): \(again.diagnostics)")
            #expect(again.descriptor?.shared.value.json(\.source) == written, "\(path)")
            count += 1
        }
        #expect(count > 100)
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
                    inputs: { tenant: {}, region: { optional: true }, key: { optional: true, secret: true } }
                    issuer: https://id.acme.example/{tenant}
                    redirects: ["{tenant}:/callback"]
                    authorization:
                      parameters: { organization: "{tenant}", region: "{region}", number: 1 }
                      pkce: { none: "it has none" }
                    token: { headers: { Key: "{key}" } }
                    environments: { sandbox: { issuer: "https://sandbox.acme.example/{tenant}" } }

                    """))
        let descriptor = try #require(document.descriptor, "\(document.diagnostics)")
        let inputs = ["tenant": "t1", "key": "secret-1"]
        let plain = try descriptor.resolve(inputs: inputs).json
        #expect(plain["issuer"] == "https://id.acme.example/t1")
        #expect(plain["redirects"] == ["{tenant}:/callback"])
        #expect(plain["authorization"]?["parameters"] == ["organization": "t1", "number": .number("1")])
        #expect(plain["authorization"]?["pkce"] == ["none": "it has none"])
        #expect(plain["authorization"]?["nonce"] == "required", "a default")
        #expect(plain["token"]?["headers"] == ["Key": "{key}"], "a secret is not shown")
        let sandbox = try descriptor.resolve(inputs: inputs, environment: "sandbox").json
        #expect(sandbox["issuer"] == "https://sandbox.acme.example/t1")
    }
}
