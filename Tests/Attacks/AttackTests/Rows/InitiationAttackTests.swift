// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import CarnetWeb
import HTTPTypes
import Testing

/// OpenID Connect Core, section 4: anybody can send a browser there.
@Suite("INIT: sign-ins that another site begins", .searchedForSecrets)
struct InitiationAttackTests {
    private static let path = "/sign-in/acme/initiate"
    private static let issuer = (name: "iss", value: "https://id.acme.example")

    private func link(_ fields: [(name: String, value: String)]) -> String {
        "\(Self.path)?\(PercentEncoding.encode(fields))"
    }

    /// Nothing is begun: no redirect, no cookie, no request to the provider.
    private func expectRefusal(
        of fields: [(name: String, value: String)], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let site = try Site(acceptsInitiatedSignIn: true)
        for isPosted in [false, true] {
            var browser = Browser(site)
            let reply =
                isPosted
                ? try await browser.post(Self.path, form: PercentEncoding.encode(fields), from: "cross-site")
                : try await browser.get(link(fields))
            #expect(reply.head.status == .badRequest, "\(fields)", sourceLocation: sourceLocation)
            #expect(reply.head.headerFields[.location] == nil, sourceLocation: sourceLocation)
            #expect(browser.cookies.isEmpty, sourceLocation: sourceLocation)
            #expect(!reply.body.contains("evil"), sourceLocation: sourceLocation)
        }
        #expect(site.scenario.log.isEmpty, sourceLocation: sourceLocation)
    }

    private func control() async throws {
        var browser = Browser(try Site(acceptsInitiatedSignIn: true))
        #expect(try await browser.get(link([Self.issuer])).head.status == .seeOther)
    }

    @Test("INIT-01: Unknown issuer")
    func INIT_01_unknownIssuer() async throws {
        for issuer in [
            "", "https://evil.example", "https://id.acme.example/", "https://ID.acme.example",
            "https://id.acme.example@evil.example", "https://id.acme.example\u{301}", "http://id.acme.example",
        ] {
            try await expectRefusal(of: [(name: "iss", value: issuer)])
        }
        try await expectRefusal(of: [])
        try await expectRefusal(of: [Self.issuer, (name: "iss", value: "https://evil.example")])
        try await control()
    }

    @Test("INIT-02: Target on another site")
    func INIT_02_targetOnAnotherSite() async throws {
        for target in [
            "https://evil.example/", "https://app.example.evil.example/", "https://app.example@evil.example/",
            "http://app.example/", "https://app.example:8443/", "//evil.example/", "/\\evil.example", "/orders",
            "https://app.example//evil.example", "https://app.example/%2F%2Fevil.example",
            "https://app.example\\@evil.example", "javascript:alert(1)", "https:app.example/",
            "https://app.example/\r\nSet-Cookie: evil=1",
        ] {
            try await expectRefusal(of: [Self.issuer, (name: "target_link_uri", value: target)])
        }
        let good = (name: "target_link_uri", value: "https://app.example/")
        try await expectRefusal(of: [Self.issuer, good, good])
        try await control()
    }

    /// A stranger's link signs nobody in or out: the browser keeps who is signed in, a response must be that of its own
    /// attempt, and a page that only embeds the link begins nothing.
    @Test("INIT-03: Login CSRF")
    func INIT_03_loginCSRF() async throws {
        let site = try Site(acceptsInitiatedSignIn: true)
        var browser = Browser(site)
        _ = try await browser.signIn()
        let before = try #require(browser.session?.account())
        let initiated = try await browser.get(link([Self.issuer, (name: "login_hint", value: "mallory")]))
        #expect(initiated.head.status == .seeOther)
        #expect(browser.session?.account()?.storeName == before.storeName)
        #expect(try await site.web.liveSession(of: browser.request()) != nil)
        // The attacker's own response does not fit the victim's attempt.
        var mallory = Browser(site)
        let callback = try await mallory.begin()
        #expect(try await browser.get(callback).head.status == .badRequest)
        #expect(browser.session?.account()?.storeName == before.storeName)
        for fields in [
            ["Sec-Fetch-Dest": "image", "Sec-Fetch-Mode": "no-cors"],
            ["Sec-Fetch-Dest": "iframe", "Sec-Fetch-Mode": "navigate"],
            ["Sec-Fetch-Dest": "empty", "Sec-Fetch-Mode": "cors"],
        ] {
            var other = Browser(site)
            let reply = try await other.send(.get, link([Self.issuer]), fields: fields)
            #expect(reply.head.status == .badRequest && other.cookies.isEmpty, "\(fields)")
        }
        var other = Browser(site)
        let page = ["Sec-Fetch-Dest": "document", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Site": "cross-site"]
        #expect(try await other.send(.get, link([Self.issuer]), fields: page).head.status == .seeOther)
    }

    @Test("INIT-04: Huge and malformed values")
    func INIT_04_hugeAndMalformedValues() async throws {
        let huge = String(repeating: "a", count: 1025)
        for name in ["iss", "login_hint", "target_link_uri"] {
            try await expectRefusal(of: (name == "iss" ? [] : [Self.issuer]) + [(name: name, value: huge)])
        }
        var browser = Browser(try Site(acceptsInitiatedSignIn: true))
        #expect(try await browser.get("\(Self.path)?iss=%FF%ZZ").head.status == .badRequest)
        for number in 0..<20 {
            _ = try await browser.get(link([Self.issuer, (name: "login_hint", value: "user-\(number)")]))
        }
        #expect(browser.cookies.count <= 5, "pending sign-ins are limited")
        let text = try await browser.send(
            .post, Self.path, form: PercentEncoding.encode([Self.issuer]), fields: ["Content-Type": "text/plain"])
        #expect(text.head.status == .unsupportedMediaType)
    }
}
