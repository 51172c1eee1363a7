import Carnet
import CarnetFoundation
import CarnetGateway
import CarnetProtocol
import CarnetWeb
import Foundation
import Logging
import Testing

@testable import CarnetCommand

@Suite("What a gateway is made of")
struct GatewayLoaderTests {
    private let home: CommandHome
    private let loader: GatewayLoader

    init() throws {
        home = try CommandHome()
        try home.write(Sample.acme(), to: "providers/acme.yaml")
        try home.write("acme: { client_id: client, client_secret_file: secret }\n", to: "clients.yaml")
        let environment = HostEnvironment(home.environment)
        var output = OutputOptions()
        (output.json, output.color, output.verbose, output.quiet) = (true, .never, false, false)
        let context = CommandContext(
            console: Console(output, environment: environment), environment: environment)
        let folder = home.folder
        func path(_ name: String) -> String { folder.appending(path: name).path }
        loader = try GatewayLoader(
            GatewayLoader.Options(
                path: path("gateway.yaml"), providers: [path("providers")], clients: path("clients.yaml")),
            context, sandbox: nil, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try writeSecret("correct horse")
        try writeFile()
    }

    private func writeSecret(_ text: String) throws {
        let file = try home.write(text, to: "secret")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    }

    private func writeFile(_ provider: String = "acme", title: String = "Apps") throws {
        try home.write(
            """
            gateway: 1
            origin: https://apps.example
            providers: [\(provider)]
            bearer: [acme]
            routes: [{ allow: signed_in }]
            session: { store: "files:sessions" }
            page: { name: \(title) }

            """, to: "gateway.yaml")
    }

    @Test("A file that the clients file names is one of the inputs")
    func inputs() throws {
        let before = loader.inputs()
        #expect(loader.inputs() == before)
        try writeSecret("correct battery")
        #expect(loader.inputs() != before)
    }

    @Test("A client, with what only its memory has, is used until something about it changes")
    func clients() async throws {
        func client() async throws -> OAuthClient { try #require(try await loader.load().web.clients["acme"]) }
        let first = try await client()
        try writeFile(title: "Other")
        #expect(try await client() === first)
        try writeFile("{ id: acme, scopes: [extra] }")
        let wider = try await client()
        #expect(wider !== first && wider.registration.scopes?.contains("extra") ?? false)
        try writeSecret("correct battery")
        let renewed = try await client()
        #expect(renewed !== wider && renewed.registration.clientSecret?.reveal() == "correct battery")
    }

    @Test("A provider leads back after a sign-out only if the file says that it knows the page")
    func postLogoutRedirect() async throws {
        func registered() async throws -> String? {
            try #require(try await loader.load().web.clients["acme"]).registration.postLogoutRedirectURI
        }
        #expect(try await registered() == nil)
        try writeFile("{ id: acme, post_logout_redirect: true }")
        #expect(try await registered() == "https://apps.example/carnet/signed-out")
    }

    @Test("Used proofs are remembered beyond a change of the file")
    func usedProofs() async throws {
        func memory() async throws -> MemoryUsedTokenStore {
            try #require(try await loader.load().usedProofs as? MemoryUsedTokenStore)
        }
        let first = try await memory()
        try writeFile(title: "Other")
        #expect(try await memory() === first)
    }

    @Test("Root reads a key of another user as itself", .enabled(if: geteuid() == 0))
    func rootStaysRoot() async throws {
        let file = try home.write(String(repeating: "1a", count: 32) + "\n", to: "key/gateway-key")
        for path in [file, file.deletingLastPathComponent()].map(\.path) {
            try FileManager.default.setAttributes(
                [.ownerAccountID: 65_534, .posixPermissions: path == file.path ? 0o600 : 0o700], ofItemAtPath: path)
        }
        let keys = try SessionKeys(nil, own: file.path, below: "", HostEnvironment(home.environment))
        let place = FileManager.default.currentDirectoryPath
        let hasChanged = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<100 { guard (try? await keys.read()) != nil else { return true } }
                    return false
                }
                group.addTask {
                    for _ in 0..<1000 {
                        guard geteuid() == 0, FileManager.default.currentDirectoryPath == place else { return true }
                        await Task.yield()
                    }
                    return false
                }
            }
            return await group.contains(true)
        }
        #expect(!hasChanged)
        // What the folder's user could have linked to is not followed.
        try FileManager.default.moveItem(at: file, to: home.folder.appending(path: "elsewhere"))
        try FileManager.default.createSymbolicLink(
            atPath: file.path, withDestinationPath: home.folder.appending(path: "elsewhere").path)
        await #expect(throws: TokenStoreError.self) { try await keys.read() }
    }
}
