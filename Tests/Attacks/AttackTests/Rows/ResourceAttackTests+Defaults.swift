// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import Carnet
import CarnetFoundation
import CarnetProtocol
import Testing

/// What is assumed of a resource that states nothing.
extension ResourceAttackTests {
    private static let origin = "https://api.acme.example"
    private static let metadataPlaces = [
        "\(origin)/.well-known/oauth-authorization-server", "\(origin)/.well-known/openid-configuration",
    ]

    /// A resource that is its own authorization server, without metadata (Model Context Protocol, revision 2025-03-26).
    private static let stating: @Sendable (inout Script) -> Void = { script in
        good(&script)
        script.elsewhere["\(wellKnown)/resource"] = nil
        script.resource = ServerResponse(["ok": true], status: 401)
        for place in metadataPlaces { script.elsewhere[place] = .text("none", status: 404, type: "text/plain") }
        script.elsewhere["\(origin)/token"] = script.token
        script.callback.removeLast()
    }

    private static let assumed = Flow { scenario, outcome in
        let request = try await outcome.client.beginSignIn()
        outcome.request = request
        outcome.session = try await outcome.client.completeSignIn(scenario.callback(request), for: request.pending)
        outcome.tokens = try await outcome.session?.storedTokens()
    }.of(descriptor).served(stating)

    @Test("PR-37: Default endpoints")
    func PR_37_defaultEndpoints() async throws {
        try await accept(in: Self.assumed) { scenario, outcome in
            #expect(outcome.tokens != nil && outcome.request?.url.hasPrefix("\(Self.origin)/authorize?") == true)
            #expect(outcome.request?.url.contains("code_challenge_method=S256") == true)
            #expect(scenario.log.allSatisfy { $0.url.hasPrefix(Self.origin + "/") })
        }
        func refused(
            _ kind: OAuthError.Kind, _ note: String, _ change: (inout Script) -> Void
        ) async {
            let scenario = Scenario()
            await expectRefusal(kind, at: .discovery, note) { try await Self.assumed.run(scenario) { change(&$0) } }
            #expect(scenario.log.allSatisfy { !["/authorize", "/token", "/register"].contains($0.path) }, "\(note)")
        }
        // A resource that demands no token has no authorization server.
        for status in [200, 403, 404, 405] {
            await refused(.missingField, "\(status)") { $0.resource.status = status }
        }
        // An outage, or the login page of a network, is no statement that there is no metadata.
        for place in Self.metadataPlaces {
            await refused(.missingField, place) { $0.elsewhere[place] = .text("down", status: 503, type: "text/plain") }
            await refused(.missingField, place) { $0.elsewhere[place] = .text("<html>", type: "text/html") }
        }
        // Metadata that is another server's is not ignored.
        await refused(.issuerMismatch, "issuer") {
            $0.elsewhere[Self.metadataPlaces[0]] = $0.metadata
        }
        // A resource that names its metadata, or another server, is believed, and nothing is assumed of that server.
        await refused(.unexpectedStatus, "named") {
            $0.resource.headers.append(("WWW-Authenticate", "Bearer resource_metadata=\"\(Self.origin)/meta\""))
        }
        await refused(.serverUnavailable, "another server") {
            $0.elsewhere["\(Self.wellKnown)/resource"] = Self.document(["authorization_servers": [.string(Self.evil)]])
        }
        let scenario = Scenario()
        await expectRefusal(.issuerMismatch, at: .callback) {
            try await Self.assumed.run(scenario) { $0.callback.append(("iss", Self.evil)) }
        }
        #expect(scenario.log.allSatisfy { $0.path != "/token" })
    }

    @Test("INT-42: Well-known places that refuse what they do not have")
    func INT_42_wellKnownPlacesThatRefuse() async throws {
        func moved(_ script: inout Script, _ status: Int, _ changes: [String: JSONValue?] = [:]) {
            script.elsewhere["\(Self.wellKnown)/resource"] = .text(
                "<title>Denied</title>", status: status, type: "text/html")
            script.elsewhere[Self.wellKnown] = Self.document(changes)
        }
        try await accept(in: Self.signIn, each: [401, 403, 404, 405]) {
            moved(&$0, $1)
        } check: { scenario, outcome, _ in
            #expect(outcome.tokens != nil)
            // Nothing that would satisfy the refusal is sent.
            let asked = scenario.log.filter { $0.path.hasPrefix("/.well-known/") }
            #expect(asked.allSatisfy { $0.headers[.authorization] == nil && $0.method == "GET" })
        }
        for status in [401, 403] {
            await expectRefusal(.resourceMismatch, at: .discovery) {
                try await Self.signIn.run(Scenario()) {
                    moved(&$0, status, ["resource": "https://evil.example/resource"])
                }
            }
            await expectRefusal(.issuerMismatch, at: .discovery) {
                try await Self.signIn.run(Scenario()) { script in
                    moved(&script, status)
                    script.metadata["issuer"] = "https://evil.example"
                }
            }
        }
    }

    /// A web application that sends its page for each address states nothing, as one that sends 404.
    @Test("INT-42: Pages of an application at well-known places")
    func INT_42_pagesOfAnApplication() async throws {
        func show(_ script: inout Script) {
            for place in ["\(Self.wellKnown)/resource", Self.wellKnown] {
                script.elsewhere[place] = .text("<title>App</title>", type: "text/html")
            }
        }
        try await accept(in: Self.signIn) {
            Self.move(&$0, to: Self.origin)
            show(&$0)
            $0.callback[2].value = Self.origin
        } check: {
            #expect($1.tokens != nil)
        }
        // Endpoints are assumed only where every place says that nothing is there.
        await expectRefusal(.missingField, at: .discovery) { try await Self.assumed.run(Scenario()) { show(&$0) } }
    }

    /// A server that passes on the response of the provider behind it.
    @Test("INT-44: ID token that nobody requested")
    func INT_44_unrequestedIDToken() async throws {
        try await accept(in: Self.signIn, each: ["https://accounts.google.com", Scenario.issuer]) {
            $0.token["id_token"] = "{id_token}"
            $0.idToken.claims["iss"] = .string($1)
            $0.idToken.claims["nonce"] = nil
        } check: { scenario, outcome, _ in
            // It names nobody, and is kept nowhere.
            #expect(outcome.tokens != nil && outcome.tokens?.idToken == nil)
            #expect(outcome.session?.key.account == "default" && scenario.count("/keys") == 0)
        }
        // A resource names the scope, and its server issues none.
        try await accept(in: Self.signIn) {
            $0.elsewhere["\(Self.wellKnown)/resource"] = Self.document(["scopes_supported": ["openid"]])
        } check: { _, outcome in
            #expect(outcome.request?.pending.scopes == ["openid"])
            #expect(outcome.tokens != nil && outcome.tokens?.idToken == nil)
        }
        // Not if it has to prove when or how the user signed in.
        var strong = AuthenticationRequirements(acrValues: ["high"])
        strong.areRequired = true
        for demanded in [AuthenticationRequirements(maxAge: 300), strong] {
            let flow = Flow { scenario, outcome in
                let options = AuthorizationOptions(authentication: demanded)
                let request = try await outcome.client.beginSignIn(options)
                outcome.session = try await outcome.client.completeSignIn(
                    scenario.callback(request), for: request.pending)
            }.of(Self.descriptor).served(Self.good)
            await expectRefusal(.missingField, at: .tokenRequest) {
                try await flow.run(Scenario()) {
                    $0.elsewhere["\(Self.wellKnown)/resource"] = Self.document(["scopes_supported": ["openid"]])
                }
            }
        }
        // Who requests one relies on it.
        await expectRefusal(.issuerMismatch, at: .idToken) {
            try await Self.signIn.adding("scopes: { default: [openid] }").run(Scenario()) {
                $0.token["id_token"] = "{id_token}"
                $0.idToken.claims["iss"] = .string(Self.evil)
            }
        }
    }

    @Test("INT-45: One authorization server, named twice")
    func INT_45_oneServerNamedTwice() async throws {
        let (issuer, evil) = (Scenario.issuer, Self.evil)
        try await accept(in: Self.signIn, each: [[issuer, issuer], [issuer, issuer + "/"]]) {
            $0.elsewhere["\(Self.wellKnown)/resource"] = Self.document([
                "authorization_servers": .array($1.map { .string($0) })
            ])
        }
        await expectRefusal(.unsupported, at: .discovery) {
            try await Self.signIn.run(Scenario()) {
                $0.elsewhere["\(Self.wellKnown)/resource"] = Self.document([
                    "authorization_servers": [.string(issuer), .string(issuer), .string(evil)]
                ])
            }
        }
    }

    /// Google, JumpCloud and Expo name one server in both ways.
    @Test("INT-43: Issuer with and without a slash")
    func INT_43_issuerWithAndWithoutASlash() async throws {
        let other = Scenario.issuer + "/"
        try await accept(in: Self.signIn) {
            $0.metadata["issuer"] = .string(other)
            $0.callback[2].value = other
        } check: { scenario, outcome in
            #expect(outcome.tokens != nil && scenario.count("/token") == 1)
        }
        try await accept(in: Self.signIn) {
            $0.elsewhere["\(Self.wellKnown)/resource"] = Self.document(["authorization_servers": [.string(other)]])
        } check: {
            #expect($1.tokens != nil)
        }
        // What is wrong with the metadata of the other spelling is said.
        await expectRefusal(.resourceMismatch, at: .discovery) {
            try await Self.signIn.run(Scenario()) {
                $0.metadata["issuer"] = .string(other)
                $0.metadata["protected_resources"] = [.string(Self.evil)]
            }
        }
        // The metadata decides how it is called from then on.
        await expectRefusal(.issuerMismatch, at: .callback) {
            try await Self.signIn.run(Scenario()) { $0.metadata["issuer"] = .string(other) }
        }
        // Behind a path, a slash is part of a name: the two may be tenants.
        let tenant = Scenario.issuer + "/tenant"
        await expectRefusal(.issuerMismatch, at: .discovery) {
            try await Self.signIn.run(Scenario()) { script in
                script.elsewhere["\(Self.wellKnown)/resource"] = Self.document([
                    "authorization_servers": [.string(tenant)]
                ])
                script.metadata["issuer"] = .string(tenant + "/")
                script.elsewhere["\(Scenario.issuer)/.well-known/oauth-authorization-server/tenant"] = script.metadata
            }
        }
    }
}
