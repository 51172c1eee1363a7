// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import Carnet
import CarnetDescriptors
import CarnetProtocol
import CarnetStorage
import CarnetTestSupport
import CarnetTesting
import CarnetWeb
import Foundation
import HTTPTypes
import Testing

@Suite("SESS, LOG, CFG: what is stored, said and configured", .searchedForSecrets)
struct StorageAttackTests {
    /// A folder of the test's own.
    private final class Folder {
        let path = FileManager.default.temporaryDirectory.appending(path: "carnet-attack-\(UUID().uuidString)").path

        init() throws {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        /// Every file below it.
        func files() throws -> [URL] {
            let walk = FileManager.default.enumerator(at: URL(filePath: path), includingPropertiesForKeys: nil)
            return (walk?.allObjects as? [URL] ?? []).filter { !$0.hasDirectoryPath }
        }
    }

    @Test("SESS-09: Files say nothing")
    func SESS_09_filesSayNothing() async throws {
        let folder = try Folder()
        let key = "\(folder.path)/the-key"
        let scenario = Scenario(store: FileTokenStore(folder: "\(folder.path)/tokens", key: .file(key)))
        let client = try DPoPAttackTests.signIn.client(of: scenario)
        scenario.change(DPoPAttackTests.bound)
        let session = try await client.signIn(at: scenario)
        try await session.refresh()
        let dpopKey = try #require(try await scenario.store.load(session.key)?.connection.dpopKey)
        let leaks = Leaks(of: scenario.secrets.union([dpopKey.reveal()]))
        let files = try folder.files().filter { $0.path != key }
        #expect(files.contains { $0.path.hasSuffix(".record") })
        for file in files {
            let bytes = try Data(contentsOf: file)
            #expect(leaks.found(in: String(decoding: bytes, as: UTF8.self)).isEmpty, "\(file.lastPathComponent)")
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            #expect(mode == 0o600, "\(file.lastPathComponent)")
        }
    }

    @Test("SESS-09: File that was changed")
    func SESS_09_fileThatWasChanged() async throws {
        let folder = try Folder()
        let store = FileTokenStore(folder: "\(folder.path)/tokens", key: .file("\(folder.path)/the-key"))
        let scenario = Scenario(store: store)
        let session = try await Flow.signIn.client(of: scenario).signIn(at: scenario)
        let record = try #require(try folder.files().first { $0.path.hasSuffix(".record") })
        let good = try Data(contentsOf: record)
        for offset in stride(from: 0, to: good.count, by: max(1, good.count / 23)) {
            var changed = good
            changed[offset] ^= 1
            try changed.write(to: record)
            let error = await expectThrown((any Error).self) { _ = try await session.tokens() }
            #expect(error is TokenStoreError || (error as? OAuthError)?.kind == .sessionEnded)
        }
        try good.write(to: record)
        _ = try await session.tokens()
    }

    /// Two registrations with the same provider: neither sends the tokens of the other.
    @Test("SESS-08: Tokens of another registration")
    func SESS_08_tokensOfAnotherRegistration() async throws {
        let scenario = Scenario()
        let session = try await Flow.signIn.client(of: scenario).signIn(at: scenario)
        let other = try Flow.signIn.registered {
            $0 = .init(
                clientID: "another-client", credentials: .available(secret: $0.clientSecret),
                redirectURI: $0.redirectURI)
        }.client(of: scenario)
        await expectRefusal(.badRegistration) { try await other.session(for: session.key.account) }
        _ = try await session.tokens()
    }

    @Test(
        "LOG-02: Words that forge a line",
        arguments: [
            "a\nb", "a\r\nlevel=error msg=forged", "\u{1B}[31mred", "a\u{2028}b", "a\u{202E}b", "a\u{85}b", "a\u{0}b",
        ])
    func LOG_02_wordsThatForgeALine(words: String) async throws {
        try await refuse(.tokenRequest, .serverError) { script in
            script.token = ServerResponse(["error": .string(words), "error_description": .string(words)], status: 400)
        }
        try await refuse(.discovery, .issuerMismatch) { $0.metadata["issuer"] = .string(words) }
        try await refuse(.idToken, .issuerMismatch) { $0.idToken.claims["iss"] = .string(words) }
        try await refuse(.tokenRequest, .unsupportedTokenType) { $0.token["token_type"] = .string(words) }
        try await refuse(.idToken, .wrongTokenUse) { $0.idToken.header["typ"] = .string(words) }
        try await refuse(.discovery, .unexpectedContentType) {
            $0.metadata = .text("<title>\(words)</title>", type: "text/html; \(words)")
        }
    }

    @Test(
        "CFG-01: Descriptor that is wrong",
        arguments: [
            ("issuer: http://id.acme.example", "issuer"),
            ("endpoints: { token: \"http://acme.example/t\" }", "endpoints"),
            ("client: { authentication: [magic] }", "client"), ("id_token: { algorithms: [none] }", "id_token"),
            ("nonsense: 1", "nonsense"), ("scopes: 5", "scopes"), ("issuer: https://a@b.example", "issuer"),
            ("endpoints: { authorization: \"https://a.example/#x\" }", "endpoints"), ("id: Acme Corp", "id"),
        ])
    func CFG_01_descriptorThatIsWrong(line: String, key: String) throws {
        let base = "carnet: 1\nname: Acme\n" + (line.hasPrefix("id:") ? "" : "id: acme\n")
        let good = base + (line.hasPrefix("id:") ? "id: acme\n" : "") + "issuer: https://id.acme.example\n"
        #expect(DescriptorDocument(SourceFile(path: "acme.yaml", text: good)).descriptor != nil)
        let text = base + line + "\n"
        let document = DescriptorDocument(SourceFile(path: "acme.yaml", text: text))
        let lines = document.diagnostics.map(\.span.start.line)
        let isRefused = document.descriptor == nil || (try? document.descriptor?.resolve(inputs: [:])) == nil
        #expect(isRefused)
        if document.descriptor == nil { #expect(lines.contains(text.split(separator: "\n").count)) }
    }

    @Test("CFG-01: Registration that is wrong")
    func CFG_01_registrationThatIsWrong() async throws {
        let wrong: [(OAuthError.Kind, @Sendable (inout ClientRegistration) -> Void)] = [
            (
                .badRegistration,
                {
                    $0 = .init(
                        clientID: "", credentials: .available(secret: $0.clientSecret), redirectURI: $0.redirectURI)
                }
            ), (.badRegistration, { $0.clientSecret = Secret("") }),
            (.redirectNotAccepted, { $0.redirectURI = "https://app.example/cb#x" }),
            (.redirectNotAccepted, { $0.redirectURI = "http://app.example/cb" }),
            (.redirectNotAccepted, { $0.redirectURI = "" }),
            (.badRegistration, { $0.authenticationMethod = ClientAuthenticationMethod.none }),
        ]
        for (kind, change) in wrong {
            let client = try Flow.signIn.registered(change).client(of: Scenario())
            let error = await expectRefusal(kind) { try await client.beginSignIn() }
            #expect(error?.disposition == .fixConfiguration)
        }
        try await control(.signIn)
    }

    @Test(
        "CFG-02: Key that is not there",
        arguments: [nil, "", "a-secret-that-is-no-key", "short", "{\"keys\":\"a-secret-that-is-no-key\"}"])
    func CFG_02_keyThatIsNotThere(value: String?) async throws {
        let source = { (text: String?) in StoreKeySource.environment("STORE_KEY") { _ in text } }
        _ = try #require(try await source(Data(repeating: 7, count: 32).base64EncodedString()).keys())
        let error = await expectThrown(TokenStoreError.self) { try await source(value).keys() }
        #expect(error?.reason.contains("STORE_KEY") == true)
        #expect(error?.reason.contains("a-secret") == false)
    }

    /// A protection is switched off by a descriptor that says why, for one provider; nothing else can.
    @Test(
        "CFG-03: Protection that is switched off without a reason",
        arguments: [
            "authorization: { pkce: none }", "authorization: { nonce: none }",
            "authorization: { pkce: { none: \"\" } }",
        ])
    func CFG_03_protectionThatIsSwitchedOffWithoutAReason(line: String) throws {
        let document = DescriptorDocument(SourceFile(path: "acme.yaml", text: Flow.openID + line + "\n"))
        #expect(document.descriptor == nil)
        let good = DescriptorDocument(
            SourceFile(path: "acme.yaml", text: Flow.openID + "authorization: { pkce: { none: \"it has none\" } }\n"))
        #expect(good.descriptor != nil)
    }

    @Test("CFG-04: Bad configuration while sign-ins wait")
    func CFG_04_badConfigurationWhileSignInsWait() async throws {
        let folder = try Folder()
        let site = try Site()
        let file = "\(folder.path)/acme.yaml"
        let providers = ProviderFolders([folder.path], clients: site.web.clients) { descriptor in
            try OAuthClient(
                descriptor, registration: site.clients[0].registration, transport: site.scenario,
                store: site.scenario.store, clock: site.scenario.clock)
        }
        try Flow.openID.write(toFile: file, atomically: true, encoding: .utf8)
        #expect(await providers.reload().replaced.map(\.rawValue) == ["acme"])
        var browser = Browser(site)
        let callback = try await browser.begin()
        try "carnet: 1\nid: acme\nissuer: http://evil.example\n".write(toFile: file, atomically: true, encoding: .utf8)
        let reload = await providers.reload()
        #expect(reload.replaced.isEmpty)
        #expect(!reload.problems.isEmpty)
        #expect(try await browser.get(callback).head.status == .seeOther)
        #expect(browser.session != nil)
    }

    @Test("CFG-05: Own endpoints win")
    func CFG_05_ownEndpointsWin() async throws {
        let flow = Flow.signIn.adding("endpoints: { userinfo: https://id.acme.example/userinfo }\ndiscovery: preferred")
        try await accept(in: flow) {
            $0.metadata["userinfo_endpoint"] = "https://evil.example/userinfo"
        } check: {
            #expect($0.count("/userinfo") == 1)
            #expect($0.log.allSatisfy { !$0.url.contains("evil") })
            #expect($1.profile?.subject == "user-1")
        }
        try await refuse(.callback, .issuerMismatch, in: flow) { $0.callback[2].value = "https://evil.example" }
    }
}
