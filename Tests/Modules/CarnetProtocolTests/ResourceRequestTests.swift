import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

private let tokens = TokenSet(
    accessToken: Secret("access-token-1"), tokenType: "Bearer", scopes: [], issuedAt: Attempt.now)

private let yaml =
    Fixture.openID + """
        api:
          hosts: [api.acme.example, "alt.acme.example:8443", "ten.acme.example:443"]
          headers: { X-Api: "1" }
        resources:
          - { scope: read, title: Files, url: "https://files.acme.example/v1/files" }
          - { scope: read, title: Local, url: "http://localhost:8080/banking" }

        """

@Suite("Resource request")
struct ResourceRequestTests {
    private let provider: FilledProvider

    init() throws { provider = try Fixture.provider(yaml) }

    private func make(
        _ url: String,
        headers: [Named<String>] = [],
        declared: [Resource] = []
    ) throws -> PreparedRequest {
        try ResourceRequest.make(
            try WebURL(url), headers: headers, tokens: tokens, at: provider, declared: declared)
    }

    @Test(
        "Token goes to declared origins",
        arguments: [
            "https://api.acme.example/x", "https://api.acme.example:443/x", "https://API.acme.example/x",
            "https://alt.acme.example:8443/x", "https://files.acme.example/other", "https://id.acme.example/userinfo",
            "http://localhost:8080/accounts", "https://ten.acme.example/x",
        ])
    func tokenGoesToDeclaredOrigins(_ url: String) throws {
        #expect(try make(url).header("Authorization") == "Bearer access-token-1")
    }

    @Test(
        "Token goes to no other origin",
        arguments: [
            "https://evil.example/", "https://api.acme.example.evil.example/", "https://evil-api.acme.example/",
            "https://sub.api.acme.example/", "https://acme.example/", "https://api.acme.example:8443/",
            "https://alt.acme.example/", "https://files.acme.example:444/", "http://localhost:8081/",
            "http://127.0.0.1:8080/", "https://localhost:8080/", "https://evil.example/?https://api.acme.example/",
            "https://evil.example/api.acme.example",
        ])
    func tokenGoesToNoOtherOrigin(_ url: String) {
        let error = expectError(.resource, .undeclaredHost) { try make(url) }
        #expect(error?.descriptorKey == "api.hosts")
        #expect(error.map { "\($0)".contains("access-token-1") } == false)
    }

    // Http, user information and other tricks do not even become a URL.
    @Test(
        "Trick is no URL",
        arguments: [
            "http://api.acme.example/", "https://api.acme.example@evil.example/",
            "https://api.acme.example\\@evil.example/",
        ])
    func trickIsNoURL(_ url: String) {
        #expect(throws: WebURLError.self) { try WebURL(url) }
    }

    @Test("Resource of the host's own map is declared by it")
    func resourceOfTheHostsOwnMapIsDeclaredByIt() throws {
        let other = try Fixture.provider(yaml.replacing("files.acme.example", with: "more.acme.example"))
        #expect(throws: OAuthError.self) { try make("https://more.acme.example/x") }
        _ = try make("https://more.acme.example/x", declared: other.resources)
    }

    @Test("Headers are added once")
    func headersAreAddedOnce() throws {
        let request = try make(
            "https://api.acme.example/x?a=b", headers: [Named("x-api", "2"), Named("Accept", "text/plain")])
        #expect(request.header("X-Api") == "2")
        #expect(request.header("Accept") == "text/plain")
        #expect(request.outgoing.head.path == "/x?a=b")
    }

    @Test("Authorization cannot be replaced", arguments: ["Authorization", "authorization"])
    func authorizationCannotBeReplaced(_ name: String) {
        expectError(.resource, .badHeader) {
            try make("https://api.acme.example/x", headers: [Named(name, "Basic x")])
        }
    }

    // HTTP-10.
    @Test(
        "Headers that break the message are rejected",
        arguments: [("X-A", "a\r\nX-B: c"), ("X A", "b"), ("", "b"), ("X-A:", "b")])
    func headersThatBreakTheMessageAreRefused(_ header: (String, String)) {
        expectError(.resource, .badHeader) {
            try make("https://api.acme.example/x", headers: [Named(header.0, header.1)])
        }
    }

    @Test("Scheme is the descriptor's")
    func schemeIsTheDescriptors() throws {
        let other = try Fixture.provider(Fixture.plain + "api: { scheme: token, hosts: [api.plain.example] }\n")
        let request = try ResourceRequest.make(
            try WebURL("https://api.plain.example/x"), tokens: tokens, at: other)
        #expect(request.header("Authorization") == "token access-token-1")
    }

    @Test("Shown request has no token")
    func shownRequestHasNoToken() throws {
        let request = try make("https://api.acme.example/x")
        for text in ["\(request.redacted)", "\(request)", String(reflecting: request), dumped(request)] {
            #expect(!text.contains("access-token-1"))
        }
        #expect("\(request.redacted)".contains("Bearer [redacted]"))
    }
}

@Suite("Resource response")
struct ResourceResponseTests {
    private func validate(_ response: IncomingResponse) throws {
        let provider = try Fixture.provider(yaml)
        let request = try ResourceRequest.make(
            try WebURL("https://api.acme.example/x"), tokens: tokens, at: provider)
        try ResourceRequest.validate(response, to: request)
    }

    @Test("Success is success whatever the body", arguments: [200, 201, 204])
    func successIsSuccessWhateverTheBody(_ status: Int) throws {
        try validate(.canned("not JSON", status: status, type: "text/plain"))
        try validate(.empty(status: status))
    }

    // The status comes before the body.
    @Test("JSON body with an error status is no success")
    func jsonBodyWithAnErrorStatusIsNoSuccess() {
        let body = #"{"balance":100}"#
        expectError(.resource, .unauthorized) { try validate(.json(body, status: 401)) }
        expectError(.resource, .unexpectedStatus) { try validate(.json(body, status: 403)) }
        expectError(.resource, .unexpectedStatus) { try validate(.json(body, status: 404)) }
        expectError(.resource, .serverUnavailable) { try validate(.json(body, status: 500)) }
        expectError(.resource, .unexpectedStatus) { try validate(.json(body, status: 302)) }
    }

    @Test("Forbidden says which scopes are missing")
    func forbiddenSaysWhichScopesAreMissing() throws {
        let error = expectError(.resource, .insufficientScope) {
            try validate(
                .empty(
                    status: 403,
                    header: (.wwwAuthenticate, #"Bearer error="insufficient_scope", scope="files write""#)))
        }
        #expect(error?.hint == "sign in with the scopes files write")
    }

    // RFC 9110, section 10.2.3; RFC 6750, section 3.1.
    @Test(
        "403 with a time is a limit, unless an error of the token says otherwise; the server's code stays",
        arguments: [
            ("", .tooManyRequests, nil), ("{}", .tooManyRequests, nil),
            (#"{"error":"rate_limit_exceeded"}"#, .tooManyRequests, "rate_limit_exceeded"),
            (#"{"error":"insufficient_scope"}"#, .insufficientScope, "insufficient_scope"),
            (#"{"error":"invalid_token"}"#, .unauthorized, "invalid_token"),
            (#"{"error":"invalid_client"}"#, .serverError, "invalid_client"),
        ] as [(String, OAuthError.Kind, String?)])
    func forbiddenWithATime(body: String, kind: OAuthError.Kind, code: String?) throws {
        var response = IncomingResponse.json(body, status: 403)
        response.head.headerFields[.retryAfter] = "7"
        response.retryAfter = RetryAfter(of: response, at: Attempt.now)
        let error = expectError(.resource, kind) { try validate(response) }
        #expect(error?.server?.code == code && error?.status == 403)
        #expect(error?.retryAt == ([.insufficientScope, .unauthorized].contains(kind) ? nil : Attempt.now + 7))
    }

    @Test("A missing scope is whole, or is left out: part of one would be another")
    func missingScopesAreWhole() throws {
        let long = String(repeating: "a", count: 200)
        let scopes = [long, "caf\u{E9}", String(repeating: "b", count: 300), "x"].joined(separator: " ")
        let challenge = "Bearer error=\"insufficient_scope\", scope=\"\(scopes)\""
        let error = expectError(.resource, .insufficientScope) {
            try validate(.empty(status: 403, header: (.wwwAuthenticate, challenge)))
        }
        #expect(error?.scopes == [long, "x"])
    }

    // TOK-11, INT-10, INT-11: challenges as real servers write them.
    @Test(
        "Challenge is read tolerantly",
        arguments: zip(
            [
                #"Bearer error="invalid_token""#, #"error="invalid_token", error_description="x""#,
                "Bearer error=invalid_token", #"Bearer realm="a, error=\"no\"", error="invalid_token""#,
                #"bearer ERROR="invalid_token""#, #"Basic realm="x", Bearer error="invalid_token""#,
                #"Bearer error="invalid_token"#, "Bearer error=invalid_token,error_description=Invalid request",
                "Bearer", "", "error=", #"Bearer xerror="no""#, String(repeating: "error", count: 2000),
            ],
            [
                "invalid_token", "invalid_token", "invalid_token", "invalid_token", "invalid_token", "invalid_token",
                "invalid_token", "invalid_token", nil, nil, nil, nil, nil,
            ] as [String?]
        ))
    func challengeIsReadTolerantly(_ header: String, _ code: String?) throws {
        let error = expectError(.resource, .unauthorized) {
            try validate(.empty(status: 401, header: (.wwwAuthenticate, header)))
        }
        #expect(error?.server?.code == code)
    }

    // LOG-01.
    @Test("Echoed access token is removed")
    func echoedAccessTokenIsTakenOut() throws {
        let error = try #require(
            expectError(.resource, .unauthorized) {
                try validate(
                    .empty(
                        status: 401,
                        header: (
                            .wwwAuthenticate, #"Bearer error="invalid_token", error_description="access-token-1 ended""#
                        )))
            })
        #expect(!"\(error)".contains("access-token-1"))
        #expect(error.server?.message == "[redacted] ended")
    }
}
