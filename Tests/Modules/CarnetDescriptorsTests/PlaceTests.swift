import CarnetDescriptors
import Testing

/// Where values are written, asked for by the names of the model as another module sees it.
@Suite("The places of values") struct PlaceTests {
    private static let descriptor = """
        carnet: 1
        id: acme
        name: Acme
        issuer: https://id.acme.example
        issuer_match: { any_of: [https://other.acme.example] }
        endpoints: { token: https://id.acme.example/token }
        authorization: { pushed: always }
        scopes: { catalog: [openid, { id: mail, implies: [read] }] }
        inputs: { tenant: { default: one } }
        device: { token: { grant_type: code } }
        refresh: { body: json, margin: 30 }
        connection: { on_connect: [https://api.acme.example/hello] }
        revocation: { token_in: { header: X-Acme-Token } }

        """

    private let document = DescriptorDocument(SourceFile(path: "acme.yaml", text: PlaceTests.descriptor))

    private func places() throws -> Place<DescriptorRules> { Place(try #require(document.root)) }

    private func text<Value>(_ place: Place<Value>) -> String? { document.sources.text.text(in: place.span) }

    @Test("A property leads to its value and its key")
    func property() throws {
        let margin = try places().refresh.margin
        #expect(text(margin) == "30")
        #expect(document.sources.text.text(in: margin.keySpan) == "margin")
        #expect(try text(places().id) == "acme")
        #expect(document.diagnostics == [])
    }

    @Test("A section that shares the mapping of another is no step of its own")
    func group() throws {
        #expect(try text(places().refresh.request.body) == "json")
        #expect(try text(places().device.token.grantType) == "code")
        #expect(try places().refresh.request.ownEntries.map(\.key) == ["body"])
    }

    @Test("The short form of a section is the value of the key that it stands for")
    func shorthand() throws {
        #expect(try text(places().authorization.pushed.use) == "always")
        #expect(try !places().authorization.pushed.repeated.isWritten)
        #expect(try places().scopes.catalog.all.map(\.id).map(text) == ["openid", "mail"])
        #expect(try places().scopes.catalog[1].implies.elements.map(\.scalar?.text) == ["read"])
        #expect(try text(places().connection.onConnect[0].url) == "https://api.acme.example/hello")
    }

    @Test("Names and endpoints are looked up")
    func names() throws {
        #expect(try text(places().inputs["tenant"].defaultValue) == "one")
        #expect(try places().inputs.named().map(\.name) == ["tenant"])
        #expect(try text(places().endpoints[.token]) == "https://id.acme.example/token")
        #expect(try places().issuerMatch.issuers.count == 1)
        #expect(try places().revocation.tokenIn.header?.scalar?.text == "X-Acme-Token")
    }

    @Test("A missing key is shown at the nearest place around it")
    func missing() throws {
        #expect(try !places().inputs["tenant"].example.isWritten)
        #expect(try text(places().inputs["tenant"].example) == "{ default: one }")
        #expect(try text(places().profile.claims["subject"]) == "carnet")
        #expect(try text(places().scopes.catalog[7].id) == text(places().scopes.catalog))
    }
}
