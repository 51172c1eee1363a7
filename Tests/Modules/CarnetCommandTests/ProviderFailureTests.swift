import CarnetDescriptors
import CarnetProtocol
import Testing

@testable import CarnetCommand

@Suite("What the command adds to an error of a provider") struct ProviderFailureTests {
    private let failure: ProviderFailure

    init() throws {
        var registry = ProviderRegistry()
        registry.add([
            SourceFile(path: "acme.yaml", text: "carnet: 1\nid: acme\nname: Acme\nissuer: https://acme.example\n")
        ])
        failure = ProviderFailure(entry: try registry.entry(named: "acme"), redirectURI: "http://127.0.0.1:1/cb")
    }

    private func mentionsRedirect(_ error: OAuthError) -> Bool {
        failure.explain(error).next.contains { $0.contains("redirect URI") }
    }

    @Test(
        "A token response with status 200 says nothing about the redirect URI",
        arguments: [
            OAuthError.Kind.missingField, .valueRefused, .serverError, .unsupportedTokenType, .wrongFieldType,
            .malformedBody,
        ])
    func responseThatWasAccepted(kind: OAuthError.Kind) {
        #expect(!mentionsRedirect(OAuthError(.tokenRequest, kind, "no", status: 200)))
    }

    @Test("A refused token request or authorization still does")
    func requestThatWasRefused() {
        #expect(mentionsRedirect(OAuthError(.tokenRequest, .serverError, "no", status: 400)))
        #expect(mentionsRedirect(OAuthError(.callback, .serverError, "no")))
        #expect(!mentionsRedirect(OAuthError(.tokenRequest, .missingClientSecret, "no secret")))
    }
}
