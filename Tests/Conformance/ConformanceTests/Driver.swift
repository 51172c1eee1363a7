import Carnet
import CarnetDescriptors
import CarnetProtocol
import CarnetSimulation
import CarnetTestSupport
import CarnetTesting
import CarnetWeb
import ConformanceProvider
import Foundation
import HTTPTypes

/// What the clients of all modules authenticate with.
enum ClientKeys {
    static let secret = "a secret+with/signs=&%: of the suite"
    static let signing = PrivateKey.p256(id: "client-key")
    static let decryption = try? PrivateKey.rsa(id: "decryption-key")
    static let jwk = text(signing)
    static let decryptionJWK = decryption.map { text($0) } ?? ""
    static let certificate = SimulatedCertificate.certificate

    private static func text(_ key: PrivateKey) -> String {
        String(decoding: JSON.bytes(key.jwk() ?? [:]), as: UTF8.self)
    }
}

/// Sends the engine's requests to the provider, with the client certificate as TLS would present it.
struct ProviderTransport: Transport {
    let provider: OpenIDProvider

    func send(_ request: OutgoingRequest, limits: TransportLimits) async throws -> IncomingResponse {
        let head = request.head
        let message = ConformanceProvider.Request(
            head.method.rawValue, "\(head.scheme ?? "")://\(head.authority ?? "")\(head.path ?? "")",
            headers: head.headerFields.map { ($0.name.rawName, $0.value) }, body: request.body,
            certificate: request.certificate?.chain.first)
        guard let reply = provider.respond(to: message) else {
            throw TransportError(.tls, "the server requires a client certificate")
        }
        var fields = HTTPFields()
        for (name, value) in reply.headers {
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        return IncomingResponse(
            head: HTTPResponse(status: .init(code: reply.status), headerFields: fields), body: reply.body)
    }
}

/// Runs a module with the library as the client.
struct Driver {
    static let start = Date(timeIntervalSince1970: 1_800_000_000)
    static var now: Int { Int(start.timeIntervalSince1970) }

    let module: Module
    let provider: OpenIDProvider
    let store = MemoryTokenStore()
    let clock = ManualClock(now: Driver.start)

    init(_ module: Module) {
        self.module = module
        provider = OpenIDProvider(module.setup, module.deviation) { Driver.now }
    }

    static func run(_ module: Module) async -> Run {
        let driver = Driver(module)
        var run = Run()
        do {
            run.problems = try await driver.drive()
        } catch let error as OAuthError {
            run.error = error
        } catch {
            run.problems.append("\(error)")
        }
        run.accounts = await driver.store.keys().count
        run.exchanges = driver.provider.exchanges
        if module.plan == .formPost, !module.isSilent { run.problems += await Driver(module).problemsOfSite() }
        return run
    }

    /// The same module with a web site as the client, which receives the form from the browser.
    private func problemsOfSite() async -> [String] {
        do {
            let (status, account) = try await Site(self).signIn()
            let calls = provider.violations + (await store.keys().count > 1 ? ["the site stores two accounts"] : [])
            switch module.expectation {
            case .completes, .mayStop:
                return calls + (status == 303 && account?.name != nil ? [] : ["the site shows a page with \(status)"])
            case .stops(.profile, _):
                return calls + (account?.name == nil ? [] : ["the site believes the profile"])
            case .stops:
                let isEmpty = await store.keys().isEmpty && account == nil && provider.count(.userinfo) == 0
                return calls + (status >= 400 && isEmpty ? [] : ["the site goes on with \(status)"])
            }
        } catch {
            return ["the site: \(error)"]
        }
    }

    private func drive() async throws -> [String] {
        switch module.flow {
        case .signIn:
            return try await use(try await signIn(try client()))
        case .twoSignIns:
            let client = try client()
            let first = try await use(try await signIn(client))
            return first + (try await use(try await signIn(client)))
        case .refresh:
            let session = try await signIn(try client())
            let old = try await session.tokens().accessToken
            let new = try await session.refresh().accessToken
            return (old == new ? ["the access token is the same"] : []) + (try await use(session))
        case .clientCredentials:
            let grant = ClientGrant.clientCredentials(scopes: module.scopes)
            let response = try await client().send(HTTPRequest(url: resource), with: grant)
            return response.status == 200 ? [] : ["the resource returns \(response.status)"]
        case .registration:
            let registrar = AutomaticRegistration(
                ClientMetadata(
                    redirectURIs: [module.setup.redirectURI], clientName: "Conformance",
                    authenticationMethod: .clientSecretBasic),
                transport: ProviderTransport(provider: provider), clock: clock)
            let registration = try await registrar.registration(at: try descriptor().resolve(inputs: [:]))
            let client = try client(registration)
            let first = try await use(try await signIn(client))
            if case .none = module.deviation.rotation { return first }
            return first + (try await use(try await signIn(client)))
        case .site(let flow):
            return try await Site(self).run(flow)
        }
    }

    // MARK: The client

    func descriptor() throws -> ProviderDescriptor {
        let scopes = module.scopes.joined(separator: ", ")
        return try Fixture.descriptor(
            """
            carnet: 1
            id: op
            name: OP
            issuer: \(module.setup.issuer)
            scopes: { default: [\(scopes)] }
            api: { hosts: [op.example, mtls.op.example] }
            \(module.lines)
            """)
    }

    func client(_ registration: ClientRegistration? = nil) throws -> OAuthClient {
        try OAuthClient(
            try descriptor(), registration: try registration ?? self.registration(),
            transport: ProviderTransport(provider: provider), store: store, clock: clock)
    }

    private func registration() throws -> ClientRegistration {
        let setup = module.setup
        var credentials: [ClientRegistration.Credentials] = []
        if let secret = setup.clientSecret { credentials.append(.secret(Secret(secret))) }
        if setup.clientKeys.contains(ClientKeys.jwk), let pem = ClientKeys.signing.pem {
            credentials.append(.signingKey(try ClientKey(pem: Secret(pem), id: ClientKeys.signing.id)))
        }
        if setup.encryptsUserinfo, let key = ClientKeys.decryption, let pem = key.pem {
            credentials.append(.decryptionKey(try ClientKey(pem: Secret(pem), id: key.id)))
        }
        if setup.certificate != nil, let certificate = ClientKeys.certificate {
            credentials.append(.certificate(certificate))
        }
        return ClientRegistration(
            clientID: setup.clientID, credentials: .all(credentials), redirectURI: setup.redirectURI,
            postLogoutRedirectURI: setup.postLogoutRedirectURI, dpopBoundAccessTokens: setup.constraint == .dpop,
            certificateBoundAccessTokens: setup.constraint == .mtls)
    }

    private var resource: String {
        let setup = module.setup
        return (setup.constraint == .mtls ? setup.certificateOrigin : setup.issuer) + "/accounts"
    }

    // MARK: The steps

    private var options: AuthorizationOptions {
        let setup = module.setup
        let details: [JSONValue] =
            module.details ? [["type": "account_information", "actions": ["list_accounts"]]] : []
        return AuthorizationOptions(
            access: .init(authorizationDetails: details),
            authentication: AuthenticationRequirements(maxAge: module.isSilent ? 0 : nil),
            prompt: module.isSilent ? [.none] : [],
            delivery: .init(responseMode: setup.responseMode == .jwt ? .jwt : nil))
    }

    private func signIn(_ client: OAuthClient) async throws -> Session {
        let request = try await client.beginSignIn(options)
        let callback: AuthorizationCallback =
            switch provider.authorize(request.url) {
            case .redirect(let url): AuthorizationCallback(url: url)
            case .post(let url, let form): AuthorizationCallback(postedTo: url, form: form)
            case .page(let text): throw Stuck(page: text)
            }
        return try await client.completeSignIn(callback, for: request.pending)
    }

    /// Reads the profile and calls the resource.
    private func use(_ session: Session) async throws -> [String] {
        var problems: [String] = []
        if module.setup.isOpenID {
            let profile = try await session.profile()
            for claim in module.claims where profile[claim] == nil { problems.append("the profile has no \(claim)") }
            problems += profile.failures.map(\.message)
        }
        if module.details, try await session.tokens().authorizationDetails == nil {
            problems.append("the tokens have no authorization_details")
        }
        if module.setup.isFAPI {
            let response = try await session.send(HTTPRequest(url: resource))
            if response.status != 200 { problems.append("the resource returns \(response.status)") }
        }
        return problems
    }
}

/// The browser stays on a page of the provider.
struct Stuck: Error { let page: String }
