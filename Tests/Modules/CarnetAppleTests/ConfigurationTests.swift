import Carnet
import CarnetApple
import CarnetCatalog
import CarnetDescriptors
import CarnetProtocol
import CarnetSandbox
import CarnetTestSupport
import CarnetTesting
import Foundation
import Testing

/// The files of an app's bundle, which are in a folder here.
@Suite("The configuration of an app")
final class ConfigurationTests {
    private let bundle = FileManager.default.temporaryDirectory.appending(path: "carnet-app-\(UUID().uuidString)").path
    private let log = RecordedLog()

    init() throws {
        try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: bundle)
    }

    private func client(_ id: ProviderID, files: [String: String]) throws -> OAuthClient {
        for (name, text) in files { try text.write(toFile: "\(bundle)/\(name)", atomically: true, encoding: .utf8) }
        return try OAuthClient(
            of: id, clientID: nil, redirectURI: nil,
            clients: files["clients.yaml"] == nil ? nil : "\(bundle)/clients.yaml", providers: bundle,
            transport: SandboxTransport(Sandbox(providers: [], clients: [])), store: nil, usedTokens: nil,
            logger: log.logger)
    }

    private static let acme = """
        carnet: 1
        id: acme
        name: Acme
        issuer: https://id.acme.example
        scopes: { default: [openid] }

        """

    @Test("A provider and a registration are two files that somebody drops in")
    func droppedIn() throws {
        let registration = "acme: { client_id: from-file, redirect_uri: 'com.example.app:/callback' }\n"
        let client = try client("acme", files: ["acme.yaml": Self.acme, "clients.yaml": registration])
        #expect(client.descriptor.name == "Acme")
        #expect(client.registration.clientID == "from-file")
        #expect(client.registration.redirectURI == "com.example.app:/callback")
        #expect(log.entries.isEmpty)
    }

    @Test("The warning about a scheme that others could claim is in the log")
    func scheme() throws {
        let registration = "acme: { client_id: id, redirect_uri: 'oauth://com.example.app' }\n"
        _ = try client("acme", files: ["acme.yaml": Self.acme, "clients.yaml": registration])
        #expect(log.entriesWithLevels.count == 1, "\(log.entriesWithLevels)")
        #expect(log.entriesWithLevels.allSatisfy { $0.hasPrefix("warning: Another application could claim") })
    }

    private static let mistakes: [(files: [String: String], id: ProviderID, reason: String)] = [
        (["acme.yaml": "hello: world\n"], "acme", "/acme.yaml:1:1: error:"),
        (["acme.yaml": acme.replacing("issuer", with: "isuer")], "acme", "/acme.yaml:4:1: error: unknown key"),
        (["clients.yaml": "google:\n  client_di: hunter2\n"], "google", "/clients.yaml:2:3: error: unknown key"),
        (["clients.yaml": ""], "google", "write google: { client_id: ID } in "),
        (["clients.yaml": "google: { client_id: id }\n"], "auth0", "write auth0: { client_id: ID } in "),
    ]

    @Test("A mistake is thrown, for the screen, and in the log, with its place or what to change", arguments: 0..<5)
    func mistake(row: Int) throws {
        let (files, id, reason) = Self.mistakes[row]
        let error = #expect(throws: (any Error).self) { try self.client(id, files: files) }
        #expect("\(try #require(error))".contains(reason), "\(String(describing: error))")
        let entry = try #require(log.entriesWithLevels.last)
        #expect(entry.hasPrefix("error: A client cannot be made provider=\(id) reason=") && entry.contains(reason))
        #expect(log.entries.count == 1 && !entry.contains("hunter2"))
    }
}
