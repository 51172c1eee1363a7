// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import CarnetDescriptors
import CarnetFoundation
import Testing

@testable import CarnetCommand
@testable import CarnetProtocol

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

    @Test("The redirect URI is named where it can be the cause, and nowhere else")
    func causeOfTheRedirect() {
        #expect(mentionsRedirect(OAuthError(.callback, .expiredAttempt, "no callback")))
        #expect(mentionsRedirect(OAuthError(.callback, .redirectMismatch, "elsewhere")))
        for status in [201, 301, 401, 403, 404, 407, 413, 415] {
            #expect(!mentionsRedirect(OAuthError(.tokenRequest, .unexpectedStatus, "no", status: status)))
        }
        #expect(!mentionsRedirect(OAuthError(.tokenRequest, .missingClientSecret, "no secret")))
    }

    @Test("A refused refresh leads to a sign-in with the command's own words")
    func refusedRefresh() {
        let shown = failure.explain(OAuthError(.refresh, .serverError, "no", status: 400))
        #expect(shown.next.count == 1 && shown.next[0].contains("run carnet login acme"))
        #expect(failure.explain(OAuthError(.refresh, .sessionEnded, "no")).next == ["run carnet login acme"])
    }

    @Test(
        "A refusal has the next step of its step",
        arguments: [
            (.deviceAuthorization, 400, "invalid_grant", "begin the sign-in again"),
            (.deviceAuthorization, 400, "authorization_declined", "begin the sign-in again"),
            (.deviceAuthorization, 400, "code_expired", "begin the sign-in again"),
            (.registration, 400, "invalid_redirect_uri", "--redirect-uri http://localhost/callback"),
            (.registration, 401, "invalid_token", "--token-env"), (.registration, 403, "insufficient_scope", "by hand"),
            (.registration, 401, nil, "--token-env"), (.refresh, 403, "access_denied", "blocked"),
            (.discovery, 511, nil, "open a browser"),
        ] as [(OAuthError.Step, Int, String?, String)])
    func refusals(_ step: OAuthError.Step, _ status: Int, _ code: String?, _ words: String) {
        let kind: OAuthError.Kind = status == 511 ? .serverUnavailable : code == nil ? .unexpectedStatus : .serverError
        let error = OAuthError(step, kind, "no", status: status, server: code.map { ServerError(code: $0) })
        let next = failure.explain(error).next.joined(separator: "; ")
        #expect(next.contains(words) && !next.contains("consent"), "\(next)")
    }

    @Test("A token that the provider must correct, and a missing iss, are reported")
    func reports() {
        for (step, kind) in [
            (.idToken, .accessTokenHashMismatch), (.idToken, .wrongTokenUse), (.idToken, .criticalHeader),
            (.callback, .missingIssuer),
        ] as [(OAuthError.Step, OAuthError.Kind)] {
            let next = failure.explain(OAuthError(step, kind, "no")).next.first ?? ""
            #expect(next.hasPrefix("report it"), "\(kind): \(next)")
        }
    }

    @Test(
        "A failed revocation leaves nothing to try again with", arguments: ["transport", "tooManyRequests", "storage"])
    func revocation(kind: String) throws {
        let kind = try #require(OAuthError.Kind(rawValue: kind))
        let next = failure.explain(OAuthError(.revocation, kind, "no")).next
        #expect(next == ["the tokens are removed here and may stay valid; end them at the provider"])
    }

    @Test("Advice about a key of a found server's descriptor says how one is written")
    func foundServer() throws {
        var registry = ProviderRegistry()
        let text = """
            carnet: 1
            id: acme
            name: Acme
            issuer: https://acme.example
            resource: https://api.acme.example/mcp

            """
        registry.add([SourceFile(path: "/home/x/resources/acme.yaml", text: text)])
        let found = ProviderFailure(entry: try registry.entry(named: "acme"))
        let key = "token.response.fields.token_type"
        let next = found.explain(OAuthError(.tokenRequest, .missingField, "no", descriptorKey: key)).next
        #expect(next.first?.contains("token.response.default_token_type") == true, "\(next)")
        #expect(next.first?.hasSuffix("with resource: https://api.acme.example/mcp") == true, "\(next)")
        let ended = found.explain(OAuthError(.refresh, .sessionEnded, "no")).next
        #expect(!ended.joined().contains("descriptor"), "\(ended)")
    }

    @Test("A busy server has an exit status of its own, and the document has the time of the next attempt")
    func busyServer() {
        let end = Date(timeIntervalSince1970: 1_767_225_600)
        let errors = [
            OAuthError(.refresh, .tooManyRequests, "no", retryAt: end),
            OAuthError(.resource, .serverUnavailable, "no", status: 503, retryAt: end),
        ]
        for error in errors {
            let shown = failure.explain(error)
            #expect(shown.status == .busy)
            #expect(shown.json["error"]?["retry_at"] == "2026-01-01T00:00:00Z")
        }
        let limited = failure.explain(OAuthError(.refresh, .tooManyRequests, "no", status: 429))
        #expect(limited.status == .busy && limited.json["error"]?["retry_at"] == nil)
        let failed = failure.explain(OAuthError(.resource, .serverUnavailable, "no", status: 503))
        #expect(failed.status == .busy)
        let refused = OAuthError(.tokenRequest, .serverError, "no", status: 401, retryAt: end)
        #expect(failure.explain(refused).status == .failed)
    }

    /// People copy the command that an error suggests, and programs that read errors run it.
    @Test(
        "PR-29: A resource puts a command into the command line that an error suggests",
        arguments: [
            ("$(touch${IFS}x)", "'$(touch${IFS}x)'"), ("`touch`", "'`touch`'"), ("a;touch", "'a;touch'"),
            ("a|sh", "'a|sh'"), ("a&touch", "'a&touch'"), ("a>x", "'a>x'"), ("a'b", #"'a'\''b'"#),
            ("urn:carnet:acr:2", "urn:carnet:acr:2"),
        ])
    func PR_29_commandInASuggestion(value: String, word: String) {
        let stepUp = AuthenticationRequirements(acrValues: [value, value], maxAge: 60)
        let shown = failure.explain(OAuthError(.resource, .insufficientAuthentication, "no", stepUp: stepUp))
        #expect(shown.next == ["run carnet login acme --acr \(word) --acr \(word) --max-age 60"])
    }
}
