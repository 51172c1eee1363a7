import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Crypto
import Foundation
import HTTPTypes
import Testing

/// The scenarios for clients of https://github.com/modelcontextprotocol/conformance (0.2.0-alpha.11, src/scenarios/client/auth),
/// each with what its checks demand, against servers that play it. `Docs/conformance.md` says how to run the suite itself.
@Suite("Scenarios of the conformance suite for clients of protected resources")
struct ResourceScenarioTests {
    struct Scenario: Sendable, CustomTestStringConvertible {
        let name: String
        let play: @Sendable () async throws -> Void

        init(_ name: String, _ play: @escaping @Sendable () async throws -> Void) {
            (self.name, self.play) = (name, play)
        }

        var testDescription: String { name }
    }

    private static let scenarios = [metadata, scopes, clients, issuers, older, extensions].flatMap(\.self)

    /// The scopes that the user was asked for, each time.
    private final class Asked: Sendable {
        let scopes = Lock<[String]>([])
    }

    @Test("The client passes the scenario", arguments: scenarios)
    func passes(_ scenario: Scenario) async throws {
        try await scenario.play()
    }

    @Test("Each scenario of the suite has a test")
    func all() {
        let names = Self.scenarios.map { String($0.name.dropFirst("auth/".count)) }
        let suite = """
            metadata-default metadata-var1 metadata-var2 metadata-var3 basic-cimd scope-from-www-authenticate
            scope-from-scopes-supported scope-omitted-when-undefined scope-step-up scope-retry-limit
            token-endpoint-auth-basic token-endpoint-auth-post token-endpoint-auth-none pre-registration
            2025-03-26-oauth-metadata-backcompat 2025-03-26-oauth-endpoint-fallback client-credentials-jwt
            client-credentials-basic enterprise-managed-authorization dpop dpop-nonce wif-jwt-bearer resource-mismatch
            offline-access-scope offline-access-not-supported authorization-server-migration iss-supported
            iss-not-advertised iss-supported-missing iss-wrong-issuer iss-unexpected iss-normalized
            metadata-issuer-mismatch
            """.split { $0 == " " || $0 == "\n" }.map(String.init)
        #expect(Set(names) == Set(suite) && names.count == 33)
    }

    private static let resource = ScriptedHosts.resource
    private static let issuer = ScriptedHosts.issuer
    private static let wellKnown = "https://api.example/.well-known/oauth-protected-resource"
    private static let server = "https://id.example/.well-known/oauth-authorization-server"

    /// Servers whose resource demands a token.
    private static func servers(
        challenge: String = "", scopes: [String]? = nil, _ changes: [String: JSONValue?] = [:]
    ) -> ScriptedHosts {
        let hosts = ScriptedHosts()
        hosts.challenge(challenge)
        hosts.on("\(wellKnown)/mcp", json: ScriptedHosts.document(resource, scopes: scopes))
        hosts.on(server, json: ScriptedHosts.metadata(issuer, changes))
        return hosts
    }

    private static func expect(_ expected: String?, requestedOf hosts: ScriptedHosts) async throws {
        let request = try await hosts.client().beginSignIn()
        let requested = ScriptedHosts.query(request)["scope"]
        #expect(requested == expected)
    }

    /// A sign-in and a call that the resource accepts.
    private static func use(_ hosts: ScriptedHosts, issuer: String = issuer) async throws -> Session {
        let session = try await hosts.signIn(try await hosts.client(), issuer: issuer)
        #expect(try await session.send(HTTPRequest(url: resource)).status == 200)
        return session
    }

    // MARK: Metadata

    private static func place(
        _ name: String, document: String, isInChallenge: Bool, issuer: String = issuer, metadata: String,
        unwanted: String? = nil
    ) -> Scenario {
        Scenario("auth/\(name)") {
            let hosts = ScriptedHosts(issuer: issuer, metadata: metadata)
            hosts.challenge(isInChallenge ? #"resource_metadata="\#(document)""# : "")
            let named = document == wellKnown ? "https://api.example" : resource
            hosts.on(document, json: ScriptedHosts.document(named, issuer: issuer))
            _ = try await use(hosts, issuer: issuer)
            #expect(hosts.count(document) > 0 && hosts.count("\(issuer)/register") == 1)
            if let unwanted { #expect(hosts.count(unwanted) == 0) }
        }
    }

    private static let metadata: [Scenario] = [
        place(
            "metadata-default", document: "\(wellKnown)/mcp", isInChallenge: true,
            metadata: "/.well-known/oauth-authorization-server", unwanted: wellKnown),
        place(
            "metadata-var1", document: "\(wellKnown)/mcp", isInChallenge: false,
            metadata: "/.well-known/openid-configuration"),
        place(
            "metadata-var2", document: wellKnown, isInChallenge: false, issuer: "https://id.example/tenant1",
            metadata: "/.well-known/oauth-authorization-server/tenant1", unwanted: server),
        place(
            "metadata-var3", document: "https://api.example/custom/metadata/location.json", isInChallenge: true,
            issuer: "https://id.example/tenant1", metadata: "/tenant1/.well-known/openid-configuration",
            unwanted: server),
        Scenario("auth/resource-mismatch") {
            let hosts = servers()
            hosts.on("\(wellKnown)/mcp", json: ScriptedHosts.document("https://evil.example.com/mcp"))
            await expectError(.discovery, .resourceMismatch) { try await hosts.client() }
            #expect(hosts.urls.allSatisfy { $0.hasPrefix("https://api.example/") })
        },
        Scenario("auth/metadata-issuer-mismatch") {
            let hosts = servers(["issuer": "https://attacker.example.com"])
            await expectError(.discovery, .issuerMismatch) { try await hosts.client() }
            // With and without a slash at the end of the issuer.
            #expect(hosts.count(server) <= 2 && hosts.count("\(issuer)/register") == 0)
        },
        Scenario("auth/authorization-server-migration") {
            let store = MemoryTokenStore()
            func registering(_ hosts: ScriptedHosts) -> AutomaticRegistration {
                AutomaticRegistration(
                    ClientMetadata(
                        redirectURIs: ["http://127.0.0.1/callback"], authenticationMethod: .clientSecretBasic),
                    transport: hosts, store: store, clock: hosts.clock)
            }
            let first = servers()
            _ = try await first.signIn(try await first.client(registering: registering(first)))
            let second = ScriptedHosts(issuer: "https://new.example")
            second.challenge()
            second.on("\(wellKnown)/mcp", json: ScriptedHosts.document(resource, issuer: "https://new.example"))
            let next = try await second.client(registering: registering(second))
            _ = try await second.signIn(next, issuer: "https://new.example")
            #expect(second.count("https://new.example/register") == 1)
            #expect(first.count("\(issuer)/register") == 1)
            #expect(second.urls.allSatisfy { !$0.hasPrefix(issuer) })
        },
    ]

    // MARK: Scopes

    private static let scopes: [Scenario] = [
        Scenario("auth/scope-from-www-authenticate") {
            try await expect(
                "mcp:basic", requestedOf: servers(challenge: #"scope="mcp:basic""#, scopes: ["mcp:other"]))
        },
        Scenario("auth/scope-from-scopes-supported") {
            let supported = ["mcp:basic", "mcp:read", "mcp:write"]
            try await expect("mcp:basic mcp:read mcp:write", requestedOf: servers(scopes: supported))
        },
        Scenario("auth/scope-omitted-when-undefined") {
            try await expect(nil, requestedOf: servers())
        },
        Scenario("auth/offline-access-scope") {
            let hosts = servers(scopes: ["mcp:basic"], ["scopes_supported": ["mcp:basic", "offline_access"]])
            try await expect("mcp:basic offline_access", requestedOf: hosts)
            let body = try JSONValue(parsing: try #require(hosts.requests(to: "\(issuer)/register").first).body)
            #expect(body["grant_types"]?.array?.contains("refresh_token") == true)
        },
        Scenario("auth/offline-access-not-supported") {
            let hosts = servers(
                scopes: ["mcp:basic", "mcp:read"], ["scopes_supported": ["mcp:basic", "mcp:read"]])
            try await expect("mcp:basic mcp:read", requestedOf: hosts)
        },
        Scenario("auth/scope-step-up") {
            let (hosts, asked) = (servers(challenge: #"scope="mcp:basic""#, scopes: ["mcp:profile"]), Asked())
            demand("mcp:write", initial: "mcp:basic", at: hosts) { number in
                asked.scopes.withLock { $0[number - 1].contains("mcp:write") }
            }
            let session = try await signIn(hosts, asked)
            #expect(try await session.send(HTTPRequest(url: resource), asking: agent(hosts, asked)).status == 200)
            // In addition to what was granted: the challenge names what is missing only.
            #expect(asked.scopes.withLock { $0 } == ["mcp:basic", "mcp:basic mcp:write"])
        },
        Scenario("auth/scope-retry-limit") {
            let (hosts, asked) = (servers(challenge: #"scope="mcp:admin""#), Asked())
            demand("mcp:admin", initial: "mcp:admin", at: hosts) { _ in false }
            let session = try await signIn(hosts, asked)
            await expectError(.resource, .insufficientScope) {
                try await session.send(HTTPRequest(url: resource), asking: agent(hosts, asked))
            }
            #expect(asked.scopes.withLock { $0.count } <= 3)
        },
    ]

    /// A user agent whose user agrees to everything, and notes the scopes.
    private static func agent(_ hosts: ScriptedHosts, _ asked: Asked) -> ScriptedUserAgent {
        ScriptedUserAgent { url, _ in
            let pairs = PercentEncoding.decodeForm(String(url.drop { $0 != "?" }.dropFirst())) ?? []
            let query = Dictionary(pairs.map { ($0.name, $0.value) }) { first, _ in first }
            asked.scopes.withLock { $0.append(query["scope"] ?? "") }
            let iss = PercentEncoding.encode(issuer)
            let callback = "\(query["redirect_uri"] ?? "")?code=c&state=\(query["state"] ?? "")&iss=\(iss)"
            return [callback]
        }
    }

    private static func signIn(_ hosts: ScriptedHosts, _ asked: Asked) async throws -> Session {
        // The server grants what was asked for last.
        hosts.on("\(issuer)/token") { _ in
            let (number, scope) = asked.scopes.withLock { ($0.count, $0.last ?? "") }
            return .json(
                #"{"access_token":"access-\#(number)","token_type":"Bearer","expires_in":3600,"scope":"\#(scope)"}"#)
        }
        return try await hosts.client().signIn(with: agent(hosts, asked))
    }

    /// Has the resource demand a scope. The challenge for a token names `initial`.
    private static func demand(
        _ scope: String, initial: String, at hosts: ScriptedHosts, isEnough: @escaping @Sendable (Int) -> Bool
    ) {
        hosts.on(resource) { request in
            var response = IncomingResponse.json("{}", status: 401)
            guard let token = request.head.headerFields[.authorization] else {
                response.head.headerFields[.wwwAuthenticate] = #"Bearer scope="\#(initial)""#
                return response
            }
            let number = Int(token.split(separator: "-").last ?? "") ?? 0
            guard !isEnough(number) else { return .json("{}") }
            response.head.status = .forbidden
            response.head.headerFields[.wwwAuthenticate] = #"Bearer error="insufficient_scope", scope="\#(scope)""#
            return response
        }
    }

    // MARK: Clients

    private static func method(_ name: String, _ method: String) -> Scenario {
        Scenario("auth/token-endpoint-auth-\(name)") {
            let hosts = servers(["token_endpoint_auth_methods_supported": [.string(method)]])
            hosts.on("\(issuer)/register") { _ in
                let secret = method == "none" ? "" : #""client_secret":"s","#
                return .json(#"{"client_id":"c",\#(secret)"token_endpoint_auth_method":"\#(method)"}"#, status: 201)
            }
            let client = try await hosts.client(
                registering: AutomaticRegistration(
                    ClientMetadata(redirectURIs: ["http://127.0.0.1/callback"]), transport: hosts))
            let begun = try await client.beginSignIn()
            #expect(ScriptedHosts.query(begun)["resource"] == resource)
            _ = try await hosts.signIn(client)
            let request = try #require(hosts.requests(to: "\(issuer)/token").first)
            let form = ScriptedProvider.form(of: request)
            #expect(form["resource"] == resource)
            #expect((form["client_secret"] != nil) == (method == "client_secret_post"))
            let basic = "Basic " + Data("c:s".utf8).base64EncodedString()
            #expect(request.head.headerFields[.authorization] == (method == "client_secret_basic" ? basic : nil))
        }
    }

    /// A client that somebody registered at the server of the resource.
    private static func known(
        _ hosts: ScriptedHosts, _ credentials: ClientRegistration.Credentials, dpop: Bool? = nil
    ) throws -> OAuthClient {
        let yaml = "carnet: 1\nid: mine\nname: Mine\nresource: \(resource)\n"
        return try OAuthClient(
            try Fixture.descriptor(yaml),
            registration: ClientRegistration(
                clientID: "pre-registered", credentials: credentials, redirectURI: "http://127.0.0.1/callback",
                dpopBoundAccessTokens: dpop),
            transport: hosts, clock: hosts.clock)
    }

    private static let clients: [Scenario] = [
        Scenario("auth/basic-cimd") {
            let document = "https://conformance-test.local/client-metadata.json"
            let hosts = servers(["client_id_metadata_document_supported": true])
            let client = try await hosts.client(
                registering: AutomaticRegistration(
                    ClientMetadata(redirectURIs: ["http://127.0.0.1/callback"]), document: document,
                    transport: hosts))
            #expect(ScriptedHosts.query(try await client.beginSignIn())["client_id"] == document)
            #expect(hosts.count("\(issuer)/register") == 0)
        },
        method("basic", "client_secret_basic"), method("post", "client_secret_post"), method("none", "none"),
        Scenario("auth/pre-registration") {
            let hosts = servers(["registration_endpoint": nil as JSONValue?])
            _ = try await hosts.signIn(try known(hosts, .secret(Secret("pre-registered-secret"))))
            let request = try #require(hosts.requests(to: "\(issuer)/token").first)
            let basic = "Basic " + Data("pre-registered:pre-registered-secret".utf8).base64EncodedString()
            #expect(request.head.headerFields[.authorization] == basic)
        },
    ]

    // MARK: Issuers

    private enum Parameter { case right, wrong, normalized, missing }

    private static func iss(
        _ name: String, announced: Bool, _ sent: Parameter, rejected kind: OAuthError.Kind? = nil
    ) -> Scenario {
        Scenario("auth/\(name)") {
            let announcement: JSONValue? = announced ? true : nil
            let hosts = servers(["authorization_response_iss_parameter_supported": announcement])
            let client = try await hosts.client()
            let request = try await client.beginSignIn()
            let value: String? =
                switch sent {
                case .right: issuer
                case .wrong: "https://evil.example.com"
                case .normalized: issuer + "/"
                case .missing: nil
                }
            let iss = value.map { "&iss=\(PercentEncoding.encode($0))" } ?? ""
            let callback = AuthorizationCallback(
                url: "http://127.0.0.1/callback?code=c&state=\(request.pending.id.reveal())\(iss)")
            if let kind {
                await expectError(.callback, kind) {
                    try await client.completeSignIn(callback, for: request.pending)
                }
                #expect(hosts.count("\(issuer)/token") == 0)
            } else {
                _ = try await client.completeSignIn(callback, for: request.pending)
                #expect(hosts.count("\(issuer)/token") == 1)
            }
        }
    }

    private static let issuers: [Scenario] = [
        iss("iss-supported", announced: true, .right), iss("iss-not-advertised", announced: false, .missing),
        iss("iss-supported-missing", announced: true, .missing, rejected: .missingIssuer),
        iss("iss-wrong-issuer", announced: true, .wrong, rejected: .issuerMismatch),
        iss("iss-unexpected", announced: false, .wrong, rejected: .issuerMismatch),
        iss("iss-normalized", announced: true, .normalized, rejected: .issuerMismatch),
    ]

    // MARK: Revision 2025-03-26

    private static let older: [Scenario] = [
        Scenario("auth/2025-03-26-oauth-metadata-backcompat") {
            let hosts = ScriptedHosts(issuer: "https://api.example")
            hosts.challenge()
            _ = try await use(hosts, issuer: "https://api.example")
        },
        Scenario("auth/2025-03-26-oauth-endpoint-fallback") {
            let hosts = ScriptedHosts(issuer: "https://api.example", metadata: "/nowhere")
            hosts.challenge()
            _ = try await use(hosts, issuer: "https://api.example")
            #expect(hosts.count("https://api.example/register") == 1 && hosts.count("https://api.example/token") == 1)
        },
    ]

    // MARK: Extensions

    private static let extensions: [Scenario] = [
        Scenario("auth/client-credentials-basic") {
            let hosts = servers(["grant_types_supported": ["client_credentials"]])
            let client = try known(hosts, .secret(Secret("secret")))
            let grant = ClientGrant.clientCredentials(resource: [resource])
            #expect(try await client.send(HTTPRequest(url: resource), with: grant).status == 200)
            let request = try #require(hosts.requests(to: "\(issuer)/token").first)
            #expect(ScriptedProvider.form(of: request)["grant_type"] == "client_credentials")
            let basic = "Basic " + Data("pre-registered:secret".utf8).base64EncodedString()
            #expect(request.head.headerFields[.authorization] == basic)
        },
        Scenario("auth/client-credentials-jwt") {
            let key = P256.Signing.PrivateKey()
            let hosts = servers(["token_endpoint_auth_methods_supported": ["private_key_jwt"]])
            let client = try known(hosts, .signingKey(try ClientKey(pem: Secret(key.pemRepresentation))))
            let grant = ClientGrant.clientCredentials(resource: [resource])
            #expect(try await client.send(HTTPRequest(url: resource), with: grant).status == 200)
            let form = try #require(hosts.forms("\(issuer)/token").first)
            #expect(form["client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
            let parts = try #require(form["client_assertion"]).split(separator: ".").map(String.init)
            let signature = try P256.Signing.ECDSASignature(
                rawRepresentation: try #require(Base64URL.decode(parts[2].utf8)))
            #expect(key.publicKey.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8)))
            let claims = try JSONValue(parsing: try #require(Base64URL.decode(parts[1].utf8)))
            #expect(claims["iss"] == "pre-registered" && claims["sub"] == "pre-registered")
            #expect(claims["aud"]?.string == issuer)
        },
        Scenario("auth/wif-jwt-bearer") {
            let hosts = servers(["registration_endpoint": nil as JSONValue?])
            let client = try known(hosts, .publicClient)
            let grant = ClientGrant.assertion(Secret("workload.jwt.signature"), resource: [resource])
            #expect(try await client.send(HTTPRequest(url: resource), with: grant).status == 200)
            let form = try #require(hosts.forms("\(issuer)/token").first)
            #expect(form["grant_type"] == "urn:ietf:params:oauth:grant-type:jwt-bearer")
            #expect(form["assertion"] == "workload.jwt.signature")
            // An error is reported. No second request, and no other grant.
            for code in ["invalid_grant", "invalid_scope", "unauthorized_client"] {
                hosts.on("\(issuer)/token", json: #"{"error":"\#(code)"}"#, status: 400)
                let before = hosts.count("\(issuer)/token")
                let error = await expectError(.jwtBearer, .serverError) {
                    try await client.send(HTTPRequest(url: resource), with: grant)
                }
                #expect(error?.server?.code == code && hosts.count("\(issuer)/token") == before + 1)
            }
        },
        Scenario("auth/enterprise-managed-authorization") {
            let hosts = servers(["grant_types_supported": ["urn:ietf:params:oauth:grant-type:jwt-bearer"]])
            let employer = ScriptedHosts(issuer: "https://idp.example")
            employer.on(
                "https://idp.example/token",
                json: """
                    {"access_token":"id.jag.jwt","token_type":"N_A",\
                    "issued_token_type":"urn:ietf:params:oauth:token-type:id-jag"}
                    """)
            let yaml = """
                carnet: 1
                id: idp
                name: IdP
                issuer: https://idp.example
                token: { response: { accept_token_types: [N_A] } }

                """
            let idp = try OAuthClient(
                try Fixture.descriptor(yaml),
                registration: ClientRegistration(clientID: "idp-client", redirectURI: "http://127.0.0.1/callback"),
                transport: employer, clock: employer.clock)
            let (grant, _) = try await idp.exchange(
                TokenExchange(
                    TokenExchange.TypedToken(Secret("id-token"), .idToken), audience: [issuer], resource: [resource],
                    requestedType: TokenExchange.TokenType("urn:ietf:params:oauth:token-type:id-jag")))
            let exchanged = try #require(employer.forms("https://idp.example/token").first)
            #expect(exchanged["subject_token_type"] == "urn:ietf:params:oauth:token-type:id_token")
            #expect(exchanged["requested_token_type"] == "urn:ietf:params:oauth:token-type:id-jag")
            #expect(exchanged["audience"] == issuer && exchanged["resource"] == resource)
            let client = try known(hosts, .secret(Secret("xaa-secret")))
            let assertion = ClientGrant.assertion(grant.accessToken, resource: [resource])
            #expect(try await client.send(HTTPRequest(url: resource), with: assertion).status == 200)
            let request = try #require(hosts.requests(to: "\(issuer)/token").first)
            #expect(ScriptedProvider.form(of: request)["assertion"] == "id.jag.jwt")
            #expect(request.head.headerFields[.authorization]?.hasPrefix("Basic ") == true)
        },
        dpop("dpop", nonces: false), dpop("dpop-nonce", nonces: true),
    ]

    private static func dpop(_ name: String, nonces: Bool) -> Scenario {
        Scenario("auth/\(name)") {
            let hosts = servers(["dpop_signing_alg_values_supported": ["ES256"]])
            let proofs = Lock<[JSONValue]>([])
            let field = try #require(HTTPField.Name("DPoP"))
            let nonce = try #require(HTTPField.Name("DPoP-Nonce"))
            @Sendable func claims(_ request: OutgoingRequest) throws -> JSONValue {
                let parts = try #require(request.head.headerFields[field]).split(separator: ".").map(String.init)
                let header = try JSONValue(parsing: try #require(Base64URL.decode(parts[0].utf8)))
                #expect(header["typ"] == "dpop+jwt" && header["alg"] == "ES256")
                let claims = try JSONValue(parsing: try #require(Base64URL.decode(parts[1].utf8)))
                proofs.withLock { $0.append(claims) }
                return claims
            }
            hosts.on("\(issuer)/token") { request in
                let proved = try claims(request)["nonce"]
                guard !nonces || proved == "server" else {
                    var response = IncomingResponse.json(#"{"error":"use_dpop_nonce"}"#, status: 400)
                    response.head.headerFields[nonce] = "server"
                    return response
                }
                return .json(#"{"access_token":"bound","token_type":"DPoP","expires_in":3600}"#)
            }
            hosts.on(resource) { request in
                guard let token = request.head.headerFields[.authorization] else {
                    var response = IncomingResponse.json("{}", status: 401)
                    response.head.headerFields[.wwwAuthenticate] = "DPoP"
                    return response
                }
                #expect(token == "DPoP bound")
                let proved = try claims(request)["nonce"]
                guard !nonces || proved == "resource" else {
                    var response = IncomingResponse.json("{}", status: 401)
                    response.head.headerFields[.wwwAuthenticate] = #"DPoP error="use_dpop_nonce""#
                    response.head.headerFields[nonce] = "resource"
                    return response
                }
                return .json("{}")
            }
            let session = try await hosts.signIn(try known(hosts, .publicClient, dpop: true))
            for _ in 0..<2 { #expect(try await session.send(HTTPRequest(url: resource)).status == 200) }
            let ids = proofs.withLock { $0.compactMap { $0["jti"]?.string } }
            #expect(Set(ids).count == ids.count && ids.count >= (nonces ? 5 : 2))
        }
    }
}
