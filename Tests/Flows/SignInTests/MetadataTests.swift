import Carnet
import CarnetCatalog
import CarnetProtocol
import CarnetSimulation
import Foundation
import HTTPTypes
import Testing

/// What `carnet compare` does, with the documents in `Metadata`, whose origins are in `Metadata/SOURCES.md`.
@Suite("Metadata documents of providers")
struct MetadataTests {
    struct Kept: Sendable, CustomTestStringConvertible {
        let file: String
        var id: String?
        var inputs: [String: String] = [:]
        var environment: String?
        /// An issuer for a descriptor that has none, so that a document fits.
        var issuer: String?
        /// What differs, with the reason why the descriptor is right.
        var accepted: [String: String] = [:]

        var testDescription: String { file }
    }

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Metadata")

    private static let publicClients = "public clients have no method, and servers announce the others alone"
    private static let openIDScopes = "the document lists the scopes of OpenID Connect alone"

    static let documents: [Kept] = [
        Kept(
            file: "adobe", accepted: ["client.authentication": publicClients, "scopes.offline": openIDScopes]),
        Kept(
            file: "apple",
            accepted: ["client.authentication": "the client's JWT is sent as client_secret, which the document names"]),
        Kept(file: "battlenet"),
        Kept(
            file: "clerk", inputs: ["domain": "well-hagfish-71.clerk.accounts.dev"],
            accepted: [
                "client.authentication": "the provider's API description has the method, a test server's document not"
            ]),
        Kept(file: "discord", accepted: ["endpoints.authorization": "Discord's documentation has the shorter path"]),
        Kept(file: "dropbox", accepted: ["client.authentication": publicClients, "scopes.default": openIDScopes]),
        Kept(file: "epic", accepted: ["client.authentication": publicClients, "scopes.offline": openIDScopes]),
        Kept(file: "facebook", accepted: ["endpoints.authorization": "Meta's documentation has a version in the path"]),
        Kept(file: "gitlab", accepted: ["client.authentication": publicClients]),
        Kept(file: "globus", accepted: ["client.authentication": publicClients]),
        Kept(file: "google", accepted: ["client.authentication": publicClients]),
        Kept(file: "line", accepted: ["id_token.algorithms": "LINE's documentation has HS256 for web sign-ins"]),
        Kept(file: "linkedin"),
        Kept(
            file: "mastodon", inputs: ["host": "social.example"], issuer: "https://social.example/",
            accepted: ["endpoints.userinfo": "servers before 4.4 do not have the endpoint of the document"]),
        Kept(file: "microsoft", accepted: ["client.authentication": publicClients]),
        Kept(
            file: "microsoft-organizations", id: "microsoft", inputs: ["tenant": "organizations"],
            accepted: ["client.authentication": publicClients]),
        Kept(file: "onelogin", inputs: ["subdomain": "common"]),
        Kept(
            file: "ory-hydra", inputs: ["host": "hydra.localhost"],
            accepted: [
                "endpoints.userinfo": "the test server of the document has no public address",
                "scopes.default": "which scopes there are is a setting of the server",
            ]),
        Kept(
            file: "paypal",
            accepted: Dictionary(
                uniqueKeysWithValues: ["token", "userinfo", "revocation"].map {
                    ("endpoints.\($0)", "PayPal's documentation has the host api-m.paypal.com")
                })),
        Kept(file: "quickbooks"),
        Kept(file: "roblox", accepted: ["client.authentication": publicClients]),
        Kept(file: "salesforce", accepted: ["client.authentication": publicClients]),
        Kept(file: "sentry"), Kept(file: "slack"),
        Kept(
            file: "spotify",
            accepted: [
                "client.authentication": publicClients, "scopes.default": openIDScopes,
                "endpoints.authorization": "Spotify's documentation for applications has another path",
                "endpoints.userinfo": "the documented profile of an application is that of the Web API",
            ]),
        Kept(
            file: "twitch",
            accepted: [
                "client.authentication": publicClients,
                "endpoints.userinfo": "the descriptor reads the profile of Twitch's API",
                "scopes.default": openIDScopes,
            ]),
        Kept(file: "vercel", accepted: ["client.authentication": publicClients, "scopes.offline": openIDScopes]),
        Kept(file: "vipps-test", id: "vipps", environment: "test"),
        Kept(file: "xero", accepted: ["client.authentication": publicClients]),
        Kept(file: "yahoo"),
        Kept(file: "zoho", accepted: ["scopes.default": openIDScopes]),
    ]

    @Test("A descriptor agrees with the document of its provider, but for what has a reason", arguments: documents)
    func drift(kept: Kept) throws {
        let id = ProviderID(rawValue: kept.id ?? kept.file)
        var descriptor = try ProviderRegistry.builtIn.descriptor(id)
        if let issuer = kept.issuer {
            #expect(descriptor.issuer == nil)
            var registry = ProviderRegistry.builtIn
            let text = "carnet: 1\nid: test\nname: Test\nextends: \(id)\nissuer: \(issuer)\n"
            registry.add([SourceFile(path: "test.yaml", text: text)], origin: .file("test"))
            descriptor = try registry.descriptor("test")
        }
        let provider = try descriptor.resolve(
            inputs: descriptor.exampleInputs(kept.inputs), environment: kept.environment)
        let file = Self.folder.appending(path: "\(kept.file).json")
        // The document of Hydra is that of a test server without TLS.
        let text = try String(contentsOf: file, encoding: .utf8).replacing("http://", with: "https://")
        let response = IncomingResponse(
            head: HTTPResponse(status: .ok, headerFields: [.contentType: "application/json"]), body: Array(text.utf8))
        let drift = try ProviderMetadata(validating: response, for: provider).drift(from: provider)
        for finding in drift where kept.accepted[finding.key] == nil {
            Issue.record("\(finding.key): \(finding.message)")
        }
        let found = Set(drift.map(\.key))
        for key in kept.accepted.keys { #expect(found.contains(key), "\(key) does not differ any more") }
    }

    @Test("Every document is compared, and its origin is on record")
    func all() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        let files = Set(names.filter { $0.hasSuffix(".json") }.map { $0.dropLast(5) })
        #expect(files == Set(Self.documents.map { $0.file[...] }))
        let sources = try String(contentsOf: Self.folder.appending(path: "SOURCES.md"), encoding: .utf8)
        for file in files { #expect(sources.contains("| \(file).json |"), "\(file).json has no line in SOURCES.md") }
    }
}
