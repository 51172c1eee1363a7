import CarnetFoundation
import Testing

@testable import CarnetDescriptors

@Suite("Environment")
struct EnvironmentTests {
    private let yaml = """
        inputs: { tenant: { default: main } }
        issuer: https://{tenant}.acme.example
        endpoints: { token: https://api.acme.example/token, userinfo: https://api.acme.example/me }
        scopes: { default: [openid] }
        environments:
          sandbox:
            issuer: https://{tenant}.sandbox.example
            endpoints: { token: https://api.sandbox.example/token, userinfo: null }
          demo: { inputs: { region: { default: eu } }, issuer: "https://{region}.demo.example" }

        """

    @Test("Without an environment the descriptor is as it stands")
    func withoutAnEnvironmentTheDescriptorIsAsItStands() throws {
        let provider = try ResolutionFixture.descriptor(yaml).resolve(environment: nil)
        #expect(provider.issuer == "https://main.acme.example")
        #expect(provider.environment == nil)
    }

    @Test("An environment is laid over the rest")
    func anEnvironmentIsLaidOverTheRest() throws {
        let descriptor = try ResolutionFixture.descriptor(yaml)
        let provider = try descriptor.resolve(inputs: ["tenant": "blue"], environment: "sandbox")
        #expect(provider.issuer == "https://blue.sandbox.example")
        #expect(provider.endpoints.urls.mapValues(\.text) == [.token: "https://api.sandbox.example/token"])
        #expect(provider.scopes.defaults == ["openid"])
        #expect(provider.environment == "sandbox")
    }

    @Test("An environment can have inputs of its own")
    func anEnvironmentCanHaveInputsOfItsOwn() throws {
        let descriptor = try ResolutionFixture.descriptor(yaml)
        #expect(try descriptor.resolve(environment: "demo").issuer == "https://eu.demo.example")
        #expect(throws: ResolutionError.self) { try descriptor.resolve(inputs: ["region": "eu"]) }
    }

    @Test("An unknown environment gets the nearest name")
    func anUnknownEnvironmentGetsTheNearestName() throws {
        let descriptor = try ResolutionFixture.descriptor(yaml)
        let error = #expect(throws: ResolutionError.self) { try descriptor.resolve(environment: "sandbx") }
        #expect(error?.description == "acme: environments.sandbx: unknown environment; did you mean sandbox?")
        let plain = try ResolutionFixture.descriptor("issuer: https://id.acme.example\n")
        let none = #expect(throws: ResolutionError.self) { try plain.resolve(environment: "sandbox") }
        #expect(none?.reason == "unknown environment; this provider has no environments")
    }

    @Test("A variant knows the other environments")
    func aVariantKnowsTheOtherEnvironments() throws {
        let sandbox = try ResolutionFixture.descriptor(yaml).variant("sandbox")
        #expect(sandbox.environmentNames == ["sandbox", "demo"])
        #expect(try sandbox.resolve(environment: "demo").environment == "demo")
    }

    @Test(
        "A mistake in an environment is found",
        arguments: [
            ("environments: { sandbox: { name: Other } }\n", "K001"), ("environments: { sandbox: off }\n", "K002"),
            ("environments: { sandbox: { tokn: {} } }\n", "K001"),
            ("environments: { sandbox: { token: { body: x } } }\n", "K004"),
            ("environments: { a: { environments: {} } }\n", "K001"),
            ("environments: { " + (0...16).map { "e\($0): {}" }.joined(separator: ", ") + " }\n", "K004"),
        ])
    func aMistakeInAnEnvironmentIsFound(yaml: String, code: String) {
        let document = DescriptorDocument(SourceFile(path: "a.yaml", text: ResolutionFixture.head + yaml))
        #expect(document.diagnostics.map(\.code) == [code])
    }

    @Test("Environments are inherited and merged")
    func environmentsAreInheritedAndMerged() throws {
        var registry = ProviderRegistry()
        let child = """
            carnet: 1
            id: child
            name: Child
            extends: acme
            environments: { demo: null, sandbox: { issuer: https://child.sandbox.example, scopes: null } }
            """
        registry.add(
            [
                SourceFile(path: "acme.yaml", text: ResolutionFixture.head + yaml),
                SourceFile(path: "child.yaml", text: child),
            ],
            origin: .builtIn
        )
        let descriptor = try registry.descriptor("child")
        #expect(descriptor.environmentNames == ["sandbox"])
        let provider = try descriptor.resolve(environment: "sandbox")
        #expect(provider.issuer == "https://child.sandbox.example")
        #expect(provider.endpoints[.token]?.text == "https://api.sandbox.example/token")
        #expect(provider.scopes.defaults == [])
    }
}
