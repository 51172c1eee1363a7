import CarnetTestSupport
import CarnetTesting
import CarnetTool
import Foundation
import Testing

/// The short way to a session, and registrations as configuration.
@Suite("A tool's client")
final class ToolTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "carnet-tool-\(UUID().uuidString)").path

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func write(_ text: String, to name: String) throws -> String {
        try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
        return "\(folder)/\(name)"
    }

    private static let acme = """
        carnet: 1
        id: acme
        name: Acme
        issuer: https://id.acme.example
        scopes: { default: [openid, profile] }

        """

    private func descriptor(_ further: String = "") throws -> ProviderDescriptor {
        _ = try write(Self.acme + further, to: "acme.yaml")
        var registry = ProviderRegistry()
        try registry.add(folder: folder)
        return try registry.descriptor("acme")
    }

    @Test("The first call signs in, and later ones use the stored session")
    func session() async throws {
        let sandbox = Sandbox(
            providers: [try descriptor().resolve()],
            clients: [SandboxClient(clientID: "hello", redirectURIs: ["http://127.0.0.1/callback"])])
        let person = ScriptedUserAgent { url, _ in [try await sandbox.approve(authorizationURL: url)] }
        let nobody = ScriptedUserAgent { _, _ in throw CancellationError() }
        for agent in [person, nobody] {
            let client = try OAuthClient(
                "acme", clientID: "hello", redirectURI: "http://127.0.0.1/callback", providers: folder,
                transport: SandboxTransport(sandbox), store: FileTokenStore(folder: "\(folder)/tokens"))
            #expect(try await client.session(with: agent).profile().name == "Ada Example")
        }
    }

    @Test("Who has no client id has the one that the provider publishes")
    func publishedClient() throws {
        let descriptor = try descriptor("client: { authentication: [none], published_id: everybody }\n")
        #expect(try ClientRegistration(of: descriptor, environment: [:]).clientID == "everybody")
        #expect(try ClientRegistration(of: descriptor, clientID: "own", environment: [:]).clientID == "own")
        let environment = ["CARNET_ACME_CLIENT_ID": "mine", "CARNET_ACME_REDIRECT_URI": "http://127.0.0.1/mine"]
        let own = try ClientRegistration(of: descriptor, environment: environment)
        #expect(own.clientID == "mine" && own.redirectURI == "http://127.0.0.1/mine")
    }

    @Test("Each mistake of a descriptor is at its place")
    func brokenDescriptor() throws {
        _ = try write(Self.acme.replacing("issuer:", with: "isuer:"), to: "acme.yaml")
        let error = #expect(throws: (any Error).self) {
            try OAuthClient("acme", clientID: "hello", providers: folder)
        }
        #expect("\(try #require(error))".contains("acme.yaml:4:1: error: unknown key \"isuer\""))
        #expect(throws: UnknownProviderError.self) { try OAuthClient("acne", clientID: "hello", providers: folder) }
    }

    private func registration(
        clientID: String? = nil, clients: String? = nil, environment: [String: String] = [:], log: RecordedLog? = nil
    ) throws -> ClientRegistration {
        let log = log ?? RecordedLog()
        return try ClientRegistration(
            of: descriptor(), clientID: clientID, clients: clients, environment: environment, logger: log.logger)
    }

    /// What the server receives: the client id, and the redirect URI without its port.
    private func received(_ registration: ClientRegistration) async throws -> [String: String] {
        let sandbox = Sandbox(providers: [try descriptor().resolve()], clients: [])
        let client = try OAuthClient(descriptor(), registration: registration, transport: SandboxTransport(sandbox))
        let url = try await client.beginSignIn().url
        let items = URLComponents(string: url)?.queryItems ?? []
        return Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 }
    }

    @Test("A value given in code comes first, then the file, then the environment")
    func order() async throws {
        let file = try write(
            "acme: { client_id: from-file, redirect_uri: 'http://127.0.0.1/file' }\n", to: "clients.yaml")
        let environment = [
            "CARNET_ACME_CLIENT_ID": "from-environment", "CARNET_ACME_REDIRECT_URI": "http://127.0.0.1/environment",
        ]
        let all = try await received(registration(clients: file, environment: environment))
        #expect(all["client_id"] == "from-file" && all["redirect_uri"] == "http://127.0.0.1/file")
        let variables = try await received(registration(environment: environment))
        #expect(variables["client_id"] == "from-environment")
        #expect(variables["redirect_uri"] == "http://127.0.0.1/environment")
        // Another client id describes another registration.
        let code = try await received(registration(clientID: "from-code", clients: file, environment: environment))
        #expect(code["client_id"] == "from-code" && code["redirect_uri"] == "http://127.0.0.1/callback")
    }

    @Test("A secret is in a file that the environment names, and an empty file is an error")
    func secretFile() throws {
        let secret = try write("s3cret\n", to: "secret")
        let environment = ["CARNET_ACME_CLIENT_ID": "id", "CARNET_ACME_CLIENT_SECRET_FILE": secret]
        #expect(throws: Never.self) { try registration(environment: environment) }
        let empty = try write("\n", to: "secret")
        let error = #expect(throws: (any Error).self) { try registration(environment: environment) }
        #expect("\(try #require(error))".hasPrefix("\(empty): the client secret is empty"))
    }

    @Test("Mistakes of a clients file are at their places, and nothing of it is quoted")
    func mistakes() throws {
        let file = try write("acme:\n  client_di: hunter2\n  redirect_uri: [hunter2]\n", to: "clients.yaml")
        let error = #expect(throws: (any Error).self) { try registration(clients: file) }
        let text = "\(try #require(error))"
        #expect(text.contains("clients.yaml:2:3: error: unknown key \"client_di\""))
        #expect(text.contains("clients.yaml:3:17: error:"))
        #expect(!text.contains("hunter2"))
    }

    @Test("A missing client id says where it can be, and a missing file is named")
    func missing() throws {
        let file = try write("", to: "clients.yaml")
        let error = #expect(throws: (any Error).self) { try registration(clients: file) }
        let text = "\(try #require(error))"
        #expect(text.contains("no client id for acme") && text.contains("CARNET_ACME_CLIENT_ID"))
        #expect(text.contains("acme: { client_id: ID } in \(file)"))
        let absent = #expect(throws: SourceFileError.self) { try registration(clients: "\(folder)/none.yaml") }
        #expect("\(try #require(absent))".contains("none.yaml"))
    }

    @Test("A secret that other users of the machine can read is in the log", arguments: [0o600, 0o644, 0o640])
    func exposedSecret(mode: mode_t) throws {
        let inline = try write("acme: { client_id: id, client_secret: s3cret }\n", to: "clients.yaml")
        let secret = try write("s3cret\n", to: "secret")
        let named = try write("acme: { client_id: id, client_secret_file: secret }\n", to: "named.yaml")
        for (file, holder) in [(inline, inline), (named, secret)] {
            #expect(chmod(holder, mode) == 0)
            let log = RecordedLog()
            _ = try registration(clients: file, log: log)
            #expect(log.entries.count == (mode == 0o600 ? 0 : 1), "\(log.entries)")
            #expect(log.entries.allSatisfy { $0.contains(holder) && !$0.contains("s3cret") })
        }
        let harmless = try write("acme: { client_id: id }\n", to: "public.yaml")
        #expect(chmod(harmless, mode) == 0)
        let log = RecordedLog()
        _ = try registration(clients: harmless, log: log)
        #expect(log.entries.isEmpty)
    }
}
