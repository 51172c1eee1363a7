import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetSandbox
import CarnetStorage
import CarnetTesting
import CarnetWeb
import Crypto
import Foundation
import HTTPTypes
import Testing

/// ID tokens that an app got from the provider, and its server validates.
@Suite("ID tokens of apps")
struct AppTokenTests {
    private static let issuer = "https://id.acme.example"
    private static let key = P256.Signing.PrivateKey()
    private static let foreignKey = P256.Signing.PrivateKey()

    /// The issuer's metadata and keys.
    private struct Issuer: Transport {
        func send(_ request: OutgoingRequest, limits: TransportLimits) async throws -> IncomingResponse {
            let isKeys = request.head.path == "/jwks"
            let body: JSONValue =
                isKeys
                ? ["keys": [AppTokenTests.jwk(of: AppTokenTests.key)]]
                : [
                    "issuer": .string(AppTokenTests.issuer), "authorization_endpoint": "https://id.acme.example/a",
                    "token_endpoint": "https://id.acme.example/t", "jwks_uri": "https://id.acme.example/jwks",
                    "response_types_supported": ["code"], "subject_types_supported": ["public"],
                    "id_token_signing_alg_values_supported": ["ES256"],
                ]
            return IncomingResponse(
                head: HTTPResponse(status: .ok, headerFields: [.contentType: "application/json"]),
                body: Array(body.jsonText().utf8))
        }
    }

    private static func object(_ value: JSONValue) -> JSONObject { value.object ?? JSONObject() }

    private static func jwk(of key: P256.Signing.PrivateKey) -> JSONValue {
        let point = Array(key.publicKey.rawRepresentation)
        return [
            "kty": "EC", "crv": "P-256", "kid": "k1", "use": "sig", "alg": "ES256",
            "x": .string(Base64URL.encode(point.prefix(32))), "y": .string(Base64URL.encode(point.suffix(32))),
        ]
    }

    /// A token before it is signed. Each row of the table changes one.
    struct Draft {
        var header = AppTokenTests.object(["alg": "ES256", "kid": "k1", "typ": "JWT"])
        var claims: JSONObject
        var rawClaims: String?
        var key: P256.Signing.PrivateKey? = AppTokenTests.key
        /// Signs with HMAC.
        var secret: [UInt8]?
        var edit: (String) -> String = { $0 }

        func text() throws -> String {
            let parts = [JSONValue.object(header).jsonText(), rawClaims ?? JSONValue.object(claims).jsonText()]
            let content = parts.map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".")
            var signature: [UInt8] = []
            if let secret {
                signature = Array(
                    HMAC<SHA256>.authenticationCode(for: Array(content.utf8), using: SymmetricKey(data: secret)))
            } else if let key {
                signature = Array(try key.signature(for: Array(content.utf8)).rawRepresentation)
            }
            return edit("\(content).\(Base64URL.encode(signature))")
        }
    }

    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private let clock = ManualClock(now: AppTokenTests.now)

    private func web(
        key: UInt8 = 7, _ keys: String = "", findUser: (@Sendable (WebAccount) async throws -> String)? = nil
    ) throws
        -> WebSignIn
    {
        var registry = ProviderRegistry()
        let text = """
            carnet: 1
            id: acme
            name: Acme
            issuer: \(Self.issuer)
            id_token: { algorithms: [ES256] }
            scopes: { default: [openid] }
            \(keys)
            """
        registry.add([SourceFile(path: "acme.yaml", text: text)], origin: .folder("tests"))
        let client = try OAuthClient(
            registry.descriptor("acme"),
            registration: ClientRegistration(
                clientID: "site", credentials: .secret(Secret("a-secret-of-at-least-32-characters")),
                redirectURI: "https://app.example/sign-in/acme/callback"),
            transport: Issuer(), clock: clock)
        return try WebSignIn(
            ProviderClients([client]), origin: "https://app.example",
            keys: KeyRing(keys: [[UInt8](repeating: key, count: 32)]),
            findUser: findUser, clock: clock)
    }

    private func draft(nonce: String) -> Draft {
        let now = Int(Self.now.timeIntervalSince1970)
        return Draft(
            claims: Self.object([
                "iss": .string(Self.issuer), "aud": "com.example.app", "sub": "user-1", "nonce": .string(nonce),
                "iat": .number("\(now)"), "exp": .number("\(now + 600)"), "name": "Ada Example",
                "email": "ada@example.com",
                "email_verified": true, "at_hash": "aGFzaA",
            ]))
    }

    private func account(_ web: WebSignIn, _ token: String, session: String = "s1") async throws -> WebAccount {
        try await web.account(
            ofIDToken: token, from: "acme", audiences: ["com.example.app", "com.example.app.mac"], session: session)
    }

    @Test("A token of the app, with the server's nonce, is the account of the sign-in on the web, once")
    func accepted() async throws {
        let web = try web(findUser: { "user of \($0.issuer ?? "") \($0.subject)" })
        let token = try draft(nonce: try web.nonce(for: "s1")).text()
        let account = try await account(web, token)
        #expect(account.provider == "acme" && account.issuer == Self.issuer && account.subject == "user-1")
        #expect(account.name == "Ada Example" && account.email == "ada@example.com" && account.isEmailVerified == true)
        #expect(account.userID == "user of \(Self.issuer) user-1")
        let again = await #expect(throws: OAuthError.self) { try await self.account(web, token) }
        #expect(again?.kind == .nonceMismatch)
        // Each of the audiences counts, and so does one of them as the party that it was issued to.
        var other = draft(nonce: try web.nonce(for: "s1"))
        other.claims["aud"] = "com.example.app.mac"
        other.claims["azp"] = "com.example.app"
        #expect(try await self.account(web, other.text()).subject == "user-1")
    }

    private static func number(_ offset: Int) -> JSONValue { .number("\(Int(now.timeIntervalSince1970) + offset)") }
    private static let hostile: [(String, @Sendable (inout Draft) -> Void)] = [
        ("issuer: another", { $0.claims["iss"] = "https://evil.example" }),
        ("issuer: none", { $0.claims["iss"] = nil }),
        ("issuer: a slash more", { $0.claims["iss"] = .string(issuer + "/") }),
        ("audience: another", { $0.claims["aud"] = "com.example.other" }),
        ("audience: none", { $0.claims["aud"] = nil }),
        ("audience: an empty list", { $0.claims["aud"] = [] }),
        ("audience: the server's own client, which is not listed", { $0.claims["aud"] = "site" }),
        ("audience: in other case", { $0.claims["aud"] = "COM.EXAMPLE.APP" }),
        ("audience: a number beside it", { $0.claims["aud"] = ["com.example.app", 5] }),
        ("audience: two, and no azp", { $0.claims["aud"] = ["com.example.app", "com.example.other"] }),
        ("azp: another client", { $0.claims["azp"] = "com.example.other" }),
        ("azp: no string", { $0.claims["azp"] = ["com.example.app"] }),
        ("expiry: past", { $0.claims["exp"] = number(-3600) }),
        ("expiry: none", { $0.claims["exp"] = nil }),
        ("expiry: a string", { $0.claims["exp"] = "1999999999" }),
        ("issued: in the future", { $0.claims["iat"] = number(3600) }),
        ("issued: never", { $0.claims["iat"] = nil }),
        ("not valid yet", { $0.claims["nbf"] = number(3600) }),
        ("subject: none", { $0.claims["sub"] = nil }),
        ("subject: empty", { $0.claims["sub"] = "" }),
        ("subject: a number", { $0.claims["sub"] = 5 }),
        ("nonce: none", { $0.claims["nonce"] = nil }),
        ("nonce: made up", { $0.claims["nonce"] = "n-0S6_WzA2Mj" }),
        ("nonce: a list", { $0.claims["nonce"] = [$0.claims["nonce"] ?? ""] }),
        ("hash of the access token: no string", { $0.claims["at_hash"] = 5 }),
        ("a logout token", { $0.claims["events"] = ["http://schemas.openid.net/event/backchannel-logout": [:]] }),
        ("algorithm: none", { ($0.header["alg"], $0.key) = ("none", nil) }),
        ("algorithm: none, and signed", { $0.header["alg"] = "none" }),
        ("algorithm: missing", { $0.header["alg"] = nil }),
        (
            "algorithm: HS256 with the client's secret",
            {
                ($0.header["alg"], $0.secret) = ("HS256", Array("a-secret-of-at-least-32-characters".utf8))
            }
        ),
        (
            "algorithm: HS256 with the public key",
            {
                ($0.header["alg"], $0.secret) = ("HS256", Array(key.publicKey.rawRepresentation))
            }
        ),
        ("algorithm: another name for the same signature", { $0.header["alg"] = "ES384" }),
        ("key: of another issuer", { $0.key = foreignKey }),
        ("key: in the header", { ($0.header["jwk"], $0.key) = (jwk(of: foreignKey), foreignKey) }),
        ("key: with an unknown id", { ($0.header["kid"], $0.key) = ("k2", foreignKey) }),
        ("header: an unknown extension is critical", { $0.header["crit"] = ["exp"] }),
        ("signature: missing", { $0.key = nil }),
        (
            "signature: of other claims",
            { draft in
                let other = Base64URL.encode(Array(#"{"sub":"admin"}"#.utf8))
                draft.edit = {
                    $0.split(separator: ".").enumerated().map { $0 == 1 ? other : String($1) }.joined(separator: ".")
                }
            }
        ),
        (
            "members: the audience twice",
            { draft in
                draft.rawClaims = JSONValue.object(draft.claims).jsonText().dropLast() + #","aud":"com.example.other"}"#
            }
        ),
        (
            "members: the nonce twice",
            { draft in
                draft.rawClaims = JSONValue.object(draft.claims).jsonText().dropLast() + #","nonce":"x"}"#
            }
        ),
        ("form: four parts", { $0.edit = { $0 + ".x" } }),
        ("form: padded", { $0.edit = { $0 + "=" } }),
        ("form: empty", { $0.edit = { _ in "" } }),
    ]

    @Test("Hostile tokens are refused, and use no nonce up", arguments: hostile.indices)
    func refused(row: Int) async throws {
        let (name, change) = Self.hostile[row]
        let web = try web()
        let good = draft(nonce: try web.nonce(for: "s1"))
        var bad = good
        change(&bad)
        let token = try bad.text()
        await #expect(throws: OAuthError.self, "\(name)") { try await account(web, token) }
        #expect(try await account(web, good.text()).subject == "user-1", "\(name)")
    }

    @Test("A nonce serves one session of one site for its time")
    func nonces() async throws {
        let web = try web()
        let token = try draft(nonce: try web.nonce(for: "s1")).text()
        let stolen = await #expect(throws: OAuthError.self) { try await account(web, token, session: "s2") }
        #expect(stolen?.kind == .nonceMismatch)
        let elsewhere = try draft(nonce: try self.web(key: 8).nonce(for: "s1")).text()
        let foreign = await #expect(throws: OAuthError.self) { try await account(web, elsewhere) }
        #expect(foreign?.kind == .nonceMismatch)
        clock.advance(by: .seconds(3600))
        let late = await #expect(throws: OAuthError.self) { try await account(web, token) }
        #expect(late?.kind == .nonceMismatch)
    }

    @Test("An account that a condition of the subject refuses, or that an ID token alone does not prove, is none")
    func conditionalAccount() async throws {
        func account(of domain: String, from source: String) async throws -> WebAccount {
            let web = try web(
                "profile: { from: \(source), claims: { subject: { where: { hd: acme.example }, first: /sub } } }")
            var draft = draft(nonce: try web.nonce(for: "s1"))
            draft.claims["hd"] = .string(domain)
            return try await self.account(web, try draft.text())
        }
        #expect(try await account(of: "acme.example", from: "id_token").subject == "user-1")
        for (domain, source) in [("evil.example", "id_token"), ("acme.example", "userinfo")] {
            let error = await #expect(throws: OAuthError.self) { try await account(of: domain, from: source) }
            #expect(error?.kind == .subjectMismatch)
        }
    }

    @Test("Without an audience, or with an unknown provider, nothing is accepted")
    func configuration() async throws {
        let web = try web()
        for audiences in [[], ["com.example.app", ""]] {
            let token = try draft(nonce: try web.nonce(for: "s1")).text()
            let error = await #expect(throws: OAuthError.self) {
                try await web.account(ofIDToken: token, from: "acme", audiences: audiences, session: "s1")
            }
            #expect(error?.kind == .badRegistration)
        }
        await #expect(throws: OAuthError.self) {
            try await web.account(ofIDToken: "a.b.c", from: "other", audiences: ["x"], session: "s1")
        }
    }

    @Test("An app that signs in with Carnet passes on the nonce of its server")
    func appWithCarnet() async throws {
        let site = try Site()
        let client = try site.client(of: Site.descriptor(Site.acme))
        let person = ScriptedUserAgent { [sandbox = site.sandbox] url, _ in
            [try await sandbox.approve(authorizationURL: url)]
        }
        let nonce = try site.web.nonce(for: "s1")
        let session = try await client.signIn(with: person, options: AuthorizationOptions(nonce: nonce))
        let token = try #require(try await session.tokens().idToken)
        let account = try await site.web.account(
            ofIDToken: token.reveal(), from: "acme", audiences: ["client"], session: "s1")
        let profile = try await session.profile()
        #expect(account.subject == profile.subject && account.email == profile.email)
        // Without an ID token, nobody would validate the nonce.
        let lost = await #expect(throws: OAuthError.self) {
            try await client.beginSignIn(AuthorizationOptions(scopes: ["profile"], nonce: nonce))
        }
        #expect(lost?.kind == .unsupported)
    }

    @Test("A person who signed in on the web is the same account in the app", arguments: [true, false])
    func sameAccount(confirmsEmail: Bool) async throws {
        let user = SandboxUser(
            label: "Ada",
            claims: [
                "subject": "user-1", "name": "Ada Example", "email": "ada@example.com",
                "email_verified": .bool(confirmsEmail),
            ])
        let site = try Site(users: [user], findUser: { "user of \($0.issuer ?? "") \($0.subject)" })
        var browser = Browser(site)
        _ = try await browser.signIn()
        let onTheWeb = try #require(browser.session?.account())

        // What an app does without Carnet: RFC 7636, and the nonce that its server gave it.
        let verifier = String(repeating: "v", count: 43)
        let challenge = Base64URL.encode(Array(SHA256.hash(data: Data(verifier.utf8))))
        let redirectURI = Site.redirectURI(of: "acme")
        let request = PercentEncoding.encode([
            (name: "response_type", value: "code"), (name: "client_id", value: "client"),
            (name: "redirect_uri", value: redirectURI), (name: "scope", value: "openid profile email"),
            (name: "state", value: "s"), (name: "code_challenge", value: challenge),
            (name: "code_challenge_method", value: "S256"), (name: "nonce", value: try site.web.nonce(for: "s1")),
        ])
        func send(_ method: HTTPRequest.Method, _ url: String, _ form: String = "") async throws -> [String: Any] {
            let url = try #require(URLComponents(string: url))
            var head = HTTPRequest(method: method, scheme: "https", authority: url.host, path: url.path)
            head.headerFields[.contentType] = "application/x-www-form-urlencoded"
            let (_, body) = await site.sandbox.respond(to: head, body: Array(form.utf8))
            return try #require(JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
        }
        let metadata = try await send(.get, "https://id.acme.example/.well-known/openid-configuration")
        let page = try #require(metadata["authorization_endpoint"] as? String)
        let callback = try await site.sandbox.approve(authorizationURL: "\(page)?\(request)")
        let code = try #require(URLComponents(string: callback)?.queryItems?.first { $0.name == "code" }?.value)
        let form = PercentEncoding.encode([
            (name: "grant_type", value: "authorization_code"), (name: "code", value: code),
            (name: "redirect_uri", value: redirectURI), (name: "client_id", value: "client"),
            (name: "code_verifier", value: verifier),
        ])
        let response = try await send(.post, try #require(metadata["token_endpoint"] as? String), form)
        let token = try #require(response["id_token"] as? String, "\(response)")

        let inTheApp = try await site.web.account(
            ofIDToken: token, from: "acme", audiences: ["client"], session: "s1")
        #expect(inTheApp.provider == onTheWeb.provider && inTheApp.issuer == onTheWeb.issuer)
        #expect(inTheApp.subject == onTheWeb.subject && inTheApp.userID == onTheWeb.userID)
        #expect(inTheApp.name == onTheWeb.name && inTheApp.email == onTheWeb.email)
        #expect(inTheApp.isEmailVerified == onTheWeb.isEmailVerified)
    }
}
