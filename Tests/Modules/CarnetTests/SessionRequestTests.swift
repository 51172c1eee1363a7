import Carnet
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

@Suite("Session request")
struct SessionRequestTests {
    private let provider = ScriptedProvider()

    private func request(_ host: String = "id.acme.example") -> HTTPRequest {
        var request = HTTPRequest(method: .post, scheme: "https", authority: host, path: "/userinfo?a=b")
        request.headerFields[.accept] = "application/json"
        return request
    }

    @Test("Request carries the token")
    func requestCarriesTheToken() async throws {
        let session = try await provider.session()
        let response = try await session.send(request(), body: Array("text".utf8))
        #expect(response.status == 200)
        let sent = try #require(provider.requests(to: "/userinfo").first)
        #expect(sent.head.headerFields[.authorization] == "Bearer access-token-1")
        #expect(sent.head.headerFields[.accept] == "application/json")
        #expect(sent.head.method == .post)
        #expect(sent.head.path == "/userinfo?a=b")
        #expect(sent.body == Array("text".utf8))
    }

    @Test("Refused token is refreshed once")
    func refusedTokenIsRefreshedOnce() async throws {
        let session = try await provider.session()
        provider.on("/userinfo") { provider, _ in
            let isNew = provider.requests.last?.head.headerFields[.authorization] == "Bearer access-token-2"
            return isNew ? .json("{}") : .json("{}", status: 401)
        }
        #expect(try await session.send(request()).status == 200)
        #expect(try await session.accessToken().reveal() == "access-token-2")
    }

    private static let expiring = Fixture.openID + "api: { errors: { codes: { token_expired: invalid_token } } }\n"

    @Test(
        "An expired access token is refreshed, wherever the provider says so",
        arguments: [
            ("error: /error/code, codes: { '3': invalid_token }", 403, #"{"error":{"code":3}}"#),
            ("error: /int_err_code, codes: { InvalidToken: invalid_token }", 403, #"{"int_err_code":"InvalidToken"}"#),
            ("statuses: { '403': invalid_token }", 403, "{}"),
            ("statuses: { '419': invalid_token }", 419, "<p>page</p>"),
            (
                "error: /errors/0/extensions/code, codes: { UNAUTHENTICATED: invalid_token }", 200,
                #"{"errors":[{"extensions":{"code":"UNAUTHENTICATED"}}]}"#
            ),
            ("codes: { gone: invalid_token }", 500, " gone\n"),
            ("error: /error", 403, #"{"error":"invalid_token"}"#),
        ])
    func errorsOfTheAPI(_ errors: String, _ status: Int, _ body: String) async throws {
        let session = try await provider.session(Fixture.openID + "api: { errors: { \(errors) } }\n")
        provider.on("/userinfo") { provider, _ in
            provider.requests.last?.head.headerFields[.authorization] == "Bearer access-token-2"
                ? .json("{}") : .json(body, status: status)
        }
        #expect(try await session.send(request()).status == 200)
        #expect(provider.count("/token") == 2)
    }

    @Test(
        "A 403 says something of scopes only if the server does", arguments: ["", "{}", #"{"error":"access_denied"}"#])
    func bareForbidden(_ body: String) async throws {
        let session = try await provider.session()
        provider.on("/userinfo", response: .json(body, status: 403))
        do {
            _ = try await session.send(request())
            Issue.record("a 403 was accepted")
        } catch let error as OAuthError {
            #expect(error.kind != .insufficientScope && error.status == 403)
        }
        #expect(provider.count("/token") == 1)
    }

    @Test("An expiry that a body with status 200 reports is refreshed once, and no other body is read for one")
    func expiryInABody() async throws {
        let expired = IncomingResponse.json(#"{"error":"token_expired"}"#)
        let session = try await provider.session(Self.expiring)
        provider.on("/userinfo") { provider, _ in
            provider.requests.last?.head.headerFields[.authorization] == "Bearer access-token-2"
                ? .json(#"{"error":"quota"}"#) : expired
        }
        #expect(try await session.send(request()).body == Array(#"{"error":"quota"}"#.utf8))
        #expect(provider.count("/userinfo") == 2 && provider.count("/token") == 2)
        provider.on("/userinfo", response: expired)
        await expectError(.resource, .unauthorized) { try await session.send(request()) }
        #expect(provider.count("/userinfo") == 4, "once more, and no further")
        let other = try await provider.session()
        #expect(try await other.send(request()).body == expired.body)
    }

    @Test("Token goes to no other host")
    func tokenGoesToNoOtherHost() async throws {
        let session = try await provider.session()
        await expectError(.resource, .undeclaredHost) { try await session.send(request("evil.example")) }
        #expect(provider.count("/userinfo") == 0)
    }

    @Test(
        "A request is made of a URL's text",
        arguments: [
            ("https://a.example", "a.example", "/"), ("https://a.example/b?c=d#e", "a.example", "/b?c=d"),
            ("https://a.example?c=d", "a.example", "/?c=d"), ("http://[::1]:8443/x", "[::1]:8443", "/x"),
        ])
    func requestOfText(url: String, authority: String, path: String) {
        let request = HTTPRequest(url: url)
        #expect(request.scheme == url.split(separator: ":").first.map(String.init))
        #expect(request.authority == authority && request.path == path && request.method == .get)
    }

    @Test(
        "A text that is no URL is refused when it is sent", arguments: ["", "a.example/b", "https:/a.example", "x://y"])
    func requestOfNoURL(url: String) async throws {
        let session = try await provider.session()
        await expectError(.resource, .badHeader) { try await session.send(HTTPRequest(url: url)) }
    }

    @Test("Request without a host is rejected")
    func requestWithoutAHostIsRefused() async throws {
        let session = try await provider.session()
        let relative = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/userinfo")
        await expectError(.resource, .badHeader) { try await session.send(relative) }
    }
}
