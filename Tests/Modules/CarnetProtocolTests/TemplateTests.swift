import CarnetFoundation
import CarnetTestSupport
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

@testable import CarnetDescriptors
@testable import CarnetProtocol

/// The functions of templates against known responses.
@Suite("A template of run-time values")
struct TemplateTests {
    private func values() throws -> TemplateValues {
        let provider = try Fixture.provider(Fixture.plain + "tables: { hosts: { eu: api.eu.acme.example } }\n")
        let registration = ClientRegistration(
            clientID: "Jefe", credentials: .secret(Secret("what do ya want for nothing?")),
            redirectURI: "http://127.0.0.1/")
        var held = ConnectionValues(values: [
            "callback.region": ConnectionValue("eu"), "token.s": ConnectionValue("x", isSecret: true),
        ])
        held.tokens = TokenSet(
            accessToken: Secret("at"), tokenType: "Bearer",
            // {"tid":"t-9","n":{"k":7}}
            idToken: Secret("eyJhbGciOiJub25lIn0.eyJ0aWQiOiJ0LTkiLCJuIjp7ImsiOjd9fQ.x"), scopes: [],
            issuedAt: .distantPast)
        return provider.values(
            registration, held, now: Date(timeIntervalSince1970: 1_800_000_000.5), random: SeededRandomSource(seed: 1))
    }

    @Test(
        "Known",
        arguments: [
            ("{client.id}", "Jefe"),
            ("{base64(join(':', client.id, 'x'))}", "SmVmZTp4"),
            ("{base64url('>>>?')}", "Pj4-Pw"),
            ("{sha256('abc')}", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            ("{base64(sha256('abc'))}", "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="),
            // RFC 4231, section 4.3.
            (
                "{hmac_sha256(client.id, client.secret)}",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            ("{now()}", "1800000000"), ("{now('ms')}", "1800000000500"), ("{now('iso8601')}", "2027-01-15T08:00:00Z"),
            ("{urlencode('a b/ü')}", "a%20b%2F%C3%BC"),
            ("{urldecode('%E5%95%86+%2B%2f%25')}", "商 +/%"), ("{urldecode('a b/ü')}", "a b/ü"),
            ("{jwt_claim(token.id_token, '/tid')}", "t-9"), ("{jwt_claim(token.id_token, '/n/k')}", "7"),
            ("{capture(client.id, 'Je(.*)')}", "fe"),
            ("{map(callback.region, 'hosts')}", "api.eu.acme.example"),
            ("{callback.none|https://api.acme.example}", "https://api.acme.example"),
            ("{map(client.id, 'hosts')|none}", "none"),
            ("{join('', '{ me { id } }')}", "{ me { id } }"),
            ("{first(callback.none, callback.region, client.id)}", "eu"), ("{first('', callback.none, 'x')}", "x"),
            ("{lower(first(callback.none, client.id))}", "jefe"), ("{first(callback.none, input.none)|x}", "x"),
            ("{first(join('-', callback.region, callback.none), callback.region)}", "eu"),
        ])
    func known(template: String, expected: String) throws {
        #expect(try values().fill(Template(template, in: .anywhere))?.text == expected)
    }

    @Test("a value that is missing is not filled in as nothing")
    func missing() throws {
        #expect(try values().fill(Template("a{callback.none}", in: .anywhere)) == nil)
        #expect(try values().fill(Template("{jwt_claim(token.id_token, '/none')}", in: .anywhere)) == nil)
        #expect(try values().fill(Template("{first(callback.none, '')}", in: .anywhere)) == nil)
    }

    @Test(
        "a text that is not properly encoded has no decoded one", arguments: ["100%", "%4", "%zz", "%00", "%FF", "%C3"])
    func undecodable(text: String) throws {
        #expect(try values().fill(Template("{urldecode('\(text)')}", in: .anywhere)) == nil)
        #expect(try values().fill(Template("{urldecode('\(text)')|none}", in: .anywhere))?.text == "none")
    }

    @Test("a decoded value ends no part of a URL, no string of JSON and no header")
    func decoded() throws {
        var values = try values()
        values.known[TemplateReference(.callback, "note")] = TemplateValues.Value("a%2F%22%3F%0D%0AX-Evil%3A+1")
        let path = try Template("https://api.acme.example/{urldecode(callback.note)}", in: .signedInURL)
        #expect(throws: WebURLError.self) { try values.url(path, trusting: []) }
        let encoded = try Template("https://api.acme.example/{urlencode(urldecode(callback.note))}", in: .signedInURL)
        #expect(
            try values.url(encoded, trusting: []).text == "https://api.acme.example/a%2F%22%3F%0D%0AX-Evil%3A%201")
        let text = try #require(values.fill(Template("{urldecode(callback.note)}", in: .anywhere))?.text)
        #expect(text == "a/\"?\r\nX-Evil: 1")
        let error = #expect(throws: OAuthError.self) { try httpFields([("X-Note", text)], step: .connection) }
        #expect(error?.kind == .badHeader)
    }

    @Test(
        "what is made of a secret is secret",
        arguments: [
            ("{client.secret}", true), ("{sha256(client.secret)}", true), ("{token.access_token}", true),
            ("{token.s}", true), ("{urldecode(token.s)}", true), ("{client.id}", false),
            ("{jwt_claim(token.id_token, '/tid')}", false),
            ("{callback.region}", false),
        ])
    func secrecy(template: String, isSecret: Bool) throws {
        #expect(try values().fill(Template(template, in: .anywhere))?.isSecret == isSecret)
    }

    @Test("a claim of a token may stand where the token may not")
    func claimInURL() throws {
        _ = try Template("{jwt_claim(token.id_token, '/tid')}", in: .signedInURL)
        let error = try #require(throws: TemplateError.self) {
            try Template("{base64(token.id_token)}", in: .signedInURL)
        }
        #expect(error.reason.contains("{token.id_token} is secret"))
    }

    @Test("what is shown of a request hides secrets in headers and in the query")
    func redaction() throws {
        let provider = try Fixture.provider(
            Fixture.plain + """
                token: { response: { capture: { session: { from: /session, example: s, secret: true } } } }
                api: { headers: { X-Session: '{token.session}' } }
                connection:
                  on_connect:
                    - url: https://plain.example/install
                      parameters: { key: '{client.secret}', kind: app }
                      headers: { X-Key: '{sha256(client.secret)}' }
                """)
        let registration = ClientRegistration(
            clientID: "c", credentials: .secret(Secret("hush-hush")), redirectURI: "http://127.0.0.1/")
        let tokens = TokenSet(
            accessToken: Secret("at"), tokenType: "Bearer", scopes: [], issuedAt: Date(timeIntervalSince1970: 0))
        let held = ConnectionValues(values: ["token.session": ConnectionValue("s-e-s-s", isSecret: true)])
        let requests = ConnectionRequest(
            at: provider.discovered, as: registration, with: held, tokens: tokens, now: Date(timeIntervalSince1970: 0),
            random: SeededRandomSource())
        let request = try requests.call(try #require(provider.connection.onConnect.first), key: "k")
        #expect(request.outgoing.head.path == "/install?key=hush-hush&kind=app")
        #expect(request.redacted.url == "https://plain.example/install?key=[redacted]&kind=app")
        let shown = "\(request.redacted)"
        for secret in ["hush", "s-e-s-s", "Bearer at"] { #expect(!shown.contains(secret)) }
        let headers = request.redacted.headers.filter { $0.value == "[redacted]" }.map(\.name)
        #expect(Set(headers) == ["X-Session", "X-Key"])
        #expect(request.outgoing.head.headerFields.contains { $0.value == "s-e-s-s" })
    }

    @Test(
        "a body that is JSON is there without a parameter, too, where the method has a body",
        arguments: [
            ("method: POST, body: json", "{}", "application/json"),
            ("method: PUT, body: json", "{}", "application/json"),
            ("method: POST", "", nil), ("method: POST, body: query", "", nil), ("body: json", "", nil),
            ("method: DELETE, body: json", "", nil),
            ("method: POST, body: json, parameters: { of: '{token.none}' }", "{}", "application/json"),
        ] as [(String, String, String?)])
    func emptyBody(keys: String, body: String, type: String?) throws {
        let provider = try Fixture.provider(
            Fixture.plain + """
                token: { response: { capture: { none: { from: /none, optional: true } } } }
                connection: { on_connect: [{ url: 'https://plain.example/install', \(keys) }] }
                """)
        let registration = ClientRegistration(
            clientID: "c", credentials: .secret(Secret("hush-hush")), redirectURI: "http://127.0.0.1/")
        let tokens = TokenSet(
            accessToken: Secret("at"), tokenType: "Bearer", scopes: [], issuedAt: Date(timeIntervalSince1970: 0))
        let requests = ConnectionRequest(
            at: provider.discovered, as: registration, with: ConnectionValues(), tokens: tokens,
            now: Date(timeIntervalSince1970: 0), random: SeededRandomSource())
        let request = try requests.call(try #require(provider.connection.onConnect.first), key: "k")
        #expect(String(decoding: request.outgoing.body, as: UTF8.self) == body)
        #expect(request.redacted.body == body)
        let types = request.redacted.headers.filter { $0.name.lowercased() == "content-type" }.map(\.value)
        #expect(types == (type.map { [$0] } ?? []))
    }

    @Test(
        "what cannot be known at a place is refused with the reason",
        arguments: [
            ("{token.x}", TemplatePlace.tokenRequest, "is not available here"),
            ("{callback.x}", .configuration, "is not available here"),
            ("{now()}", .configuration, "only inputs can be used here"),
            ("{client.secret}", .authorization, "cannot be in a URL"),
            ("{client.name}", .tokenRequest, "available: client.id, client.secret"),
            ("{sha25('x')}", .tokenRequest, "there is no function sha25"),
            ("{sha256('x'}", .tokenRequest, "has no )"), ("{urldecode()}", .tokenRequest, "urldecode takes one value"),
            ("{first(client.id)}", .tokenRequest, "first takes two values"),
            ("https://a.example/{first(token.x, client.secret)}", .signedInURL, "cannot be in a URL"),
            ("{join('x)}", .tokenRequest, "has no end"),
            ("{random('4')}", .tokenRequest, "from '8' to '64'"),
            ("{input.a|b}", .configuration, "default of an input"),
            ("{request.body}", .tokenRequest, "is not available here"),
            ("{request.assertion}", .tokenRequest, "is not available here"),
            ("{request.other}", .tokenRequest.signing, "does not exist; available: request.body"),
        ])
    func refused(template: String, place: TemplatePlace, reason: String) throws {
        let error = try #require(throws: TemplateError.self) { try Template(template, in: place) }
        #expect(error.reason.contains(reason), "\(error.reason)")
    }
}
