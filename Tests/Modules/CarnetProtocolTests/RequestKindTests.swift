import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

/// The engine makes each request with everything that a host can ask for, as a client of each kind: what it then sends is
/// what the catalogue lists, no more and no less.
@Suite("The catalogue of requests") struct RequestKindTests {
    private static let base = Fixture.openID.replacing(
        "endpoints:\n",
        with: """
            endpoints:
              device_authorization: https://id.acme.example/device_authorization
              introspection: https://id.acme.example/introspection
              pushed_authorization_request: https://id.acme.example/pushed_authorization_request

            """
    )

    private struct Sent {
        var method: String
        var url: String
        var names: Set<String>

        init(_ request: PreparedRequest) {
            let head = request.outgoing.head
            method = head.method.rawValue
            let path = (head.path ?? "").components(separatedBy: "?")
            url = "https://\(head.authority ?? "")\(path[0])"
            names = Set(decodedForm(path.dropFirst().joined()).keys).union(request.form.keys)
        }

        init(page: String) {
            method = "GET"
            let parts = page.components(separatedBy: "?")
            url = parts[0]
            names = Set(decodedForm(parts.dropFirst().joined()).keys)
        }
    }

    /// One client at one provider.
    private struct Client {
        let provider: FilledProvider
        let registration: ClientRegistration
        let random = SeededRandomSource(seed: 1)
        let now = Attempt.now

        init(_ method: ClientAuthenticationMethod, _ keys: String) throws {
            provider = try Fixture.provider(
                base + "client: { authentication: [\(method.rawValue)] }\n" + keys)
            registration = ClientRegistration(
                clientID: "client",
                credentials: .available(
                    secret: method.usesSecret ? Secret("a secret that is as long as the hash of HS256") : nil,
                    signingKey: method.usesKey ? try ClientKey.generate(.ES256, id: "k1") : nil),
                redirectURI: Attempt.redirectURI,
                postLogoutRedirectURI: "https://app.example/bye",
                dpopBoundAccessTokens: true
            )
        }

        private var tokens: TokenSet {
            TokenSet(
                accessToken: Secret("access"), tokenType: "Bearer", refreshToken: Secret("refresh"),
                idToken: Secret("id"), scopes: ["openid"], issuedAt: now)
        }

        private func authorization(isSigned: Bool? = nil) throws -> AuthorizationRequest {
            try AuthorizationRequest(
                to: provider.discovered, as: registration,
                options: AuthorizationOptions(
                    access: .init(
                        resource: ["urn:a"], authorizationDetails: [["type": "payment"]],
                        claims: JSONObject(members: [.init(name: "userinfo", value: ["email": .null])])),
                    authentication: .init(acrValues: ["1"], maxAge: 60), prompt: [.login], loginHint: "ada",
                    uiLocales: ["de"], delivery: .init(isSigned: isSigned, responseMode: .query)),
                random: random, now: now)
        }

        private func pushing(_ request: AuthorizationRequest) throws -> PreparedRequest {
            try request.pushing(in: RequestContext(at: provider.discovered, as: registration, random: random, now: now))
        }

        private func device() throws -> PreparedRequest {
            try DeviceAuthorization.request(
                scopes: ["openid"], resources: ["urn:a"],
                in: RequestContext(at: provider, as: registration, random: random, now: now)
            ).request
        }

        /// Every way in which the client makes a request.
        func requests(_ kind: RequestKind) throws -> [Sent] {
            switch kind {
            case .authorization:
                let plain = try authorization()
                let response = IncomingResponse.json(#"{"request_uri":"urn:x:1","expires_in":60}"#, status: 201)
                let referring = try plain.referring(
                    to: response, request: try pushing(plain), at: provider.discovered, now: now)
                let signed = registration.signingKey == nil ? [] : [try authorization(isSigned: true)]
                return ([plain, referring] + signed).map { Sent(page: $0.url) }
            case .pushedAuthorization:
                let signed = registration.signingKey == nil ? [] : [try authorization(isSigned: true)]
                return try ([authorization()] + signed).map { Sent(try pushing($0)) }
            case .token:
                let pending = try authorization().pending
                let state = provider.stateParameter
                let code = provider.callback.rename["code"] ?? "code"
                let callback = AuthorizationCallback(
                    url: "\(pending.redirectURI)?\(state)=\(pending.id.reveal())&\(code)=c")
                return [
                    Sent(
                        try TokenRequest.authorizationCode(
                            try pending.validate(callback, from: provider.discovered, now: now),
                            in: RequestContext(at: provider, as: registration, random: random, now: now)))
                ]
            case .refresh:
                return [
                    Sent(
                        try TokenRequest.refresh(
                            Secret("refresh"), resources: ["urn:a"],
                            in: RequestContext(at: provider, as: registration, random: random, now: now)))
                ]
            case .clientCredentials:
                // A public client must not use this grant.
                guard provider.client.authentication != [.none] else { return [] }
                return [
                    Sent(
                        try TokenRequest.clientCredentials(
                            scopes: ["read"], resources: ["urn:a"],
                            in: RequestContext(at: provider, as: registration, random: random, now: now)))
                ]
            case .device: return [Sent(try device())]
            case .deviceToken:
                let response = IncomingResponse.json(
                    #"{"device_code":"d","user_code":"BCDF","verification_uri":"https://id.acme.example/activate","expires_in":60}"#
                )
                let device = try DeviceAuthorization(
                    validating: response, to: try device(), scopes: [], resources: ["urn:a"], from: provider, now: now)
                return [
                    Sent(
                        try DevicePoll.request(
                            device, in: RequestContext(at: provider, as: registration, random: random, now: now)))
                ]
            case .tokenExchange:
                let exchange = TokenExchange(
                    .init(Secret("subject")), actor: .init(Secret("actor")), audience: ["a"], resource: ["urn:a"],
                    scopes: ["read"], requestedType: .accessToken)
                return [
                    Sent(
                        try exchange.request(
                            in: RequestContext(at: provider, as: registration, random: random, now: now)))
                ]
            case .jwtBearer:
                let grant = ClientGrant.assertion(Secret("a.b.c"), scopes: ["read"], resource: ["urn:a"])
                return [
                    Sent(
                        try grant.request(in: RequestContext(at: provider, as: registration, random: random, now: now)))
                ]
            case .profile: return [Sent(try Profile.request(tokens, at: provider))]
            case .revocation:
                return [
                    Sent(
                        try TokenRequest.revoke(
                            Secret("refresh"), hint: "refresh_token",
                            in: RequestContext(at: provider, as: registration, random: random, now: now)))
                ]
            case .introspection:
                return [
                    Sent(
                        try Introspection.request(
                            Secret("access"), hint: "access_token",
                            in: RequestContext(at: provider, as: registration, random: random, now: now)))
                ]
            case .logout:
                let page = try EndSessionRequest(for: tokens, at: provider, as: registration, random: random)
                return [Sent(page: page.url.reveal())]
            }
        }
    }

    private static let methods: [ClientAuthenticationMethod] = [
        .none, .clientSecretBasic, .clientSecretPost, .clientSecretJWT, .privateKeyJWT,
    ]

    private func sent(_ kind: RequestKind, _ keys: String = "") throws -> [Sent] {
        try Self.methods.flatMap { try Client($0, keys).requests(kind) }
    }

    private func names(_ sent: [Sent]) -> Set<String> { sent.reduce(into: []) { $0.formUnion($1.names) } }

    private func section(of kind: RequestKind, saying rules: String) -> String {
        let path = kind.section.split(separator: ".")
        return path.count == 1 ? "\(path[0]): \(rules)\n" : "\(path[0]): { \(path[1]): \(rules) }\n"
    }

    @Test("The engine sends the parameters of the catalogue", arguments: RequestKind.allCases)
    func parameters(of kind: RequestKind) throws {
        #expect(names(try sent(kind)) == kind.parameterNames)
    }

    @Test("The engine uses the endpoint and the method of the catalogue", arguments: RequestKind.allCases)
    func endpoint(of kind: RequestKind) throws {
        let url = try Fixture.provider(Self.base).endpoints[kind.endpoint]?.text
        for request in try sent(kind) {
            #expect(request.url == url)
            #expect(request.method == kind.method.rawValue)
        }
    }

    @Test("A descriptor can rename every parameter of the catalogue", arguments: RequestKind.allCases)
    func renaming(in kind: RequestKind) throws {
        guard !kind.parameterNames.isEmpty else { return }
        let names = kind.parameterNames.map { "\($0): x_\($0)" }.sorted().joined(separator: ", ")
        let keys = section(of: kind, saying: "{ rename: { \(names) } }")
        #expect(self.names(try sent(kind, keys)) == Set(kind.parameterNames.map { "x_\($0)" }))
    }

    @Test("A parameter can be replaced where the catalogue says so", arguments: RequestKind.allCases)
    func replacing(in kind: RequestKind) throws {
        for parameter in kind.parameters where parameter.rule == .replaceable && kind != .pushedAuthorization {
            let name = parameter.name.rawValue
            let keys = section(of: kind, saying: "{ omit: [\(name)], parameters: { \(name): other } }")
            #expect(names(try sent(kind, keys)).contains(name), "\(name)")
        }
    }
}
