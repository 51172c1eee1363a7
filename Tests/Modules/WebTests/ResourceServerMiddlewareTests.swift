import Carnet
import CarnetHummingbird
import CarnetResourceServer
import CarnetSandbox
import CarnetTestSupport
import CarnetTesting
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing

@Suite("A resource server with Hummingbird")
struct ResourceServerMiddlewareTests {
    private static let resource = "https://api.acme.example"
    private static let map = """
        resources:
          - { title: Health, url: /health, anonymous: the load balancer reads it }
          - { title: Account, url: "/accounts/{id}", scope: accounts }
          - { title: Audit, url: /audit, claims: { groups: audit } }

        """

    private let sandbox: Sandbox
    private let server: ResourceServer

    init() throws {
        let clock = ManualClock()
        let descriptor = try Fixture.descriptor(
            Fixture.openID + "access_token: { marked_by: [use=access], audience: resource }\n")
        sandbox = Sandbox(providers: [try descriptor.resolve()], clients: [], now: { clock.now })
        let client = try OAuthClient(
            descriptor, registration: ClientRegistration(clientID: "api", redirectURI: "https://api.acme.example/none"),
            transport: SandboxTransport(sandbox), clock: clock)
        server = try ResourceServer(
            Self.resource, accepting: [TokenIssuer(client)], map: SourceFile(path: "map.yaml", text: Self.map))
    }

    private var application: some ApplicationProtocol {
        let router = Router(context: BasicCallerRequestContext.self)
        router.add(middleware: ResourceServerMiddleware(server))
        for path in ["health", "accounts/:id", "audit", "other"] {
            router.get(RouterPath(path)) { _, context in context.caller?.subject ?? "nobody" }
        }
        return Application(router: router)
    }

    /// The status and the body of the response to a request with a token.
    private func get(_ path: String, token: String?) async throws -> (HTTPResponse.Status, String, HTTPFields) {
        try await application.test(.router) { client in
            let fields: HTTPFields = token.map { [.authorization: "Bearer \($0)"] } ?? [:]
            let reply = try await client.execute(uri: path, method: .get, headers: fields)
            return (reply.status, String(buffer: reply.body), reply.headers)
        }
    }

    @Test(
        "Handlers get the caller of a token from the sandbox, with and without its type", arguments: ["at+jwt", "JWT"])
    func caller(type: String) async throws {
        let token = try await sandbox.accessToken(for: Self.resource, scopes: ["accounts"], type: type)
        let (status, body, _) = try await get("/accounts/5", token: token)
        #expect(status == .ok && body == "user-1")
        #expect(try await get("/health", token: nil).1 == "nobody")
    }

    @Test("Claims of the test's own replace those of the sandbox, and null removes them")
    func claims() async throws {
        let auditor = try await sandbox.accessToken(for: Self.resource, claims: ["groups": ["audit"], "sub": "ada"])
        #expect(try await get("/audit", token: auditor).1 == "ada")
        let other = try await sandbox.accessToken(for: Self.resource, scopes: ["accounts"])
        #expect(try await get("/audit", token: other).0 == .forbidden)
        for claims in [["exp": nil], ["iss": "https://evil.example"], ["resource": "https://other.example"]]
            as [JSONValue]
        {
            let token = try await sandbox.accessToken(for: Self.resource, scopes: ["accounts"], claims: claims)
            #expect(try await get("/accounts/5", token: token).0 == .unauthorized, "\(claims)")
        }
    }

    @Test("A refused request does not reach its handler")
    func refusals() async throws {
        let (status, body, fields) = try await get("/accounts/5", token: nil)
        #expect(status == .unauthorized && body.isEmpty && fields[values: .wwwAuthenticate].count == 2)
        let token = try await sandbox.accessToken(for: Self.resource)
        #expect(try await get("/accounts/5", token: token).0 == .forbidden)
        #expect(try await get("/other", token: token).0 == .notFound)
        #expect(try await get("/accounts/5;x", token: token).0 == .badRequest)
    }

    @Test("The metadata is served to anyone")
    func metadata() async throws {
        let (status, body, fields) = try await get("/.well-known/oauth-protected-resource", token: nil)
        #expect(status == .ok && fields[.contentType] == "application/json")
        #expect(body.contains(#""scopes_supported":["accounts"]"#))
    }

    @Test("The sandbox has no token of a provider that it does not have")
    func unknownProvider() async throws {
        await #expect(throws: (any Error).self) {
            try await sandbox.accessToken(for: Self.resource, from: ProviderID(rawValue: "nobody"))
        }
    }
}
