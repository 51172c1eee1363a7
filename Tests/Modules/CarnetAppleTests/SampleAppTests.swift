import Carnet
import CarnetApple
import CarnetCatalog
import CarnetSandbox
import CarnetTesting
import Foundation
import Testing

@testable import SampleApps

/// The models of `Examples`, whose views are for Xcode alone.
@Suite("The sample apps")
@MainActor
struct SampleAppTests {
    /// What a sample meets: a provider of the catalogue, and the Keychain of its device.
    private struct World {
        let sandbox: Sandbox
        let provider: Provider
        let keychain = FakeKeychain()

        init(
            _ id: ProviderID, inputs: [String: String] = [:], redirectURI: String, loggedOutURI: String? = nil,
            faults: Set<SandboxFault> = []
        ) throws {
            provider = try ProviderRegistry.builtIn.descriptor(id).resolve(inputs: inputs)
            sandbox = Sandbox(
                providers: [provider],
                clients: [
                    SandboxClient(
                        clientID: "client", redirectURIs: [redirectURI],
                        postLogoutRedirectURIs: loggedOutURI.map { [$0] } ?? [])
                ],
                options: SandboxOptions(faults: faults))
        }

        var transport: SandboxTransport { SandboxTransport(sandbox) }

        /// The store of a process that has just started.
        var store: KeychainStore {
            KeychainStore(service: "carnet", accessGroup: nil, calls: keychain) { _ in }
        }

        /// The sign-in of an app, with the registration in the app's folder and another client id.
        @MainActor
        func signIn(_ app: String) throws -> SignInModel {
            let descriptor = try ProviderRegistry.builtIn.descriptor(provider.id)
            let file = try Self.file("\(app)/clients.yaml")
            let copy = FileManager.default.temporaryDirectory.appending(path: "clients-\(UUID().uuidString).yaml")
            defer { try? FileManager.default.removeItem(at: copy) }
            try file.replacing(/YOUR-CLIENT-ID\S*/, with: "client").write(to: copy, atomically: true, encoding: .utf8)
            let registration = try ClientRegistration(of: descriptor, clients: copy.path, environment: [:])
            let client = try OAuthClient(descriptor, registration: registration, transport: transport, store: store)
            return SignInModel(client, agent: person)
        }

        static func file(_ path: String) throws -> String {
            var folder = URL(filePath: #filePath)
            for _ in 1...4 { folder.deleteLastPathComponent() }
            return try String(contentsOf: folder.appending(path: "Examples/\(path)"), encoding: .utf8)
        }

        var person: ScriptedUserAgent {
            ScriptedUserAgent { [sandbox] url, redirectURI in
                if url.contains("logout") {
                    let state = url.firstMatch(of: /state=([^&]*)/).map { String($0.output.1) } ?? ""
                    return ["\(redirectURI)?state=\(state)"]
                }
                return [try await sandbox.approve(authorizationURL: url)]
            }
        }
    }

    @Test("Google: name and picture, and both again after the app was started anew")
    func google() async throws {
        let world = try World(.google, redirectURI: "com.example.google:/oauth2callback")
        func launch() throws -> GoogleProfile { GoogleProfile(try world.signIn("Google")) }
        let app = try launch()
        await app.load()
        #expect(app.profile == nil)
        await app.signIn.signIn()
        await app.load()
        #expect(app.problem == nil)
        #expect(app.profile?.givenName?.isEmpty == false)
        #expect(app.profile?.familyName?.isEmpty == false)
        let again = try launch()
        await again.signIn.restore()
        #expect(again.signIn.phase == .signedIn)
        await again.load()
        #expect(again.profile?.subject == app.profile?.subject)
        await again.signIn.signOut()
        #expect(world.keychain.items.isEmpty)
        await again.load()
        #expect(again.profile == nil)
    }

    @Test("Google: a profile that cannot be had is a problem that the app shows, and no placeholder for ever")
    func googleProblem() async throws {
        let world = try World(
            .google, redirectURI: "com.example.google:/oauth2callback", faults: [.userinfo500])
        let app = GoogleProfile(try world.signIn("Google"))
        await app.signIn.signIn()
        await app.load()
        #expect(app.profile == nil)
        #expect(app.problem?.contains("500") == true)
    }

    private static let inputs = ["tenant": "acme", "workspace": "demo", "region": "us"]
    private static let bankURI = "oauth://com.example.simple-pkce"

    private func bank(_ world: World, changing: (String) -> String = { $0 }) throws -> Bank {
        let text = changing(try World.file("Cloudentity/scopeData.json"))
        return try Bank(
            world.signIn("Cloudentity"), scopeData: SourceFile(path: "scopeData.json", text: text))
    }

    @Test("Cloudentity: payload, header, and a button for each resource that was granted")
    func cloudentity() async throws {
        let world = try World(.cloudentity, inputs: Self.inputs, redirectURI: Self.bankURI)
        let bank = try bank(world)
        await world.sandbox.addResources(
            try bank.signIn.client.resourceMap(
                SourceFile(
                    path: "map.json",
                    text: #"[{"scope":"email","title":"Balance","url":"http://localhost:8080/banking/balance"}]"#)
            ).resources, of: .cloudentity)
        await bank.load()
        #expect(bank.resources.isEmpty)
        await bank.signIn.signIn()
        await bank.load()
        #expect(bank.problem == nil)
        // email, openid and profile were granted; phone was not.
        #expect(bank.resources.map(\.title) == ["Transfer", "Balance", "Some name"])
        #expect(bank.payload.contains("\"iss\"") || bank.payload == Bank.opaque)
        let balance = try #require(bank.resources.first { $0.title == "Balance" })
        #expect(await bank.fetch(balance).contains("{"))
        await bank.signIn.signOut()
        await bank.load()
        #expect(bank.resources.isEmpty)
        #expect(await bank.fetch(balance) == "You are signed out.")
    }

    @Test("Cloudentity: a title that changes in scopeData.json changes the label, and a mistake names its line")
    func cloudentityFile() async throws {
        let world = try World(.cloudentity, inputs: Self.inputs, redirectURI: Self.bankURI)
        let bank = try bank(world) { $0.replacing("\"Balance\"", with: "\"My money\"") }
        await bank.signIn.signIn()
        await bank.load()
        #expect(bank.resources.map(\.title) == ["Transfer", "My money", "Some name"])
        let error = #expect(throws: OAuthError.self) {
            try self.bank(world) { $0.replacing("\"title\": \"Balance\"", with: "\"titel\": \"Balance\"") }
        }
        #expect(error?.kind == .badDescriptor)
        #expect(error?.message.contains("scopeData.json:8") == true)
    }

    @Test("Auth0: login, a greeting, and a logout here and there")
    func auth0() async throws {
        let (domain, bundleID) = ("dev-example.us.auth0.com", "com.example.auth0test")
        let base = "\(bundleID)://\(domain)/ios/\(bundleID)"
        let world = try World(
            .auth0, inputs: ["domain": domain], redirectURI: "\(base)/callback", loggedOutURI: "\(base)/logged-out")
        let greeting = Greeting(try world.signIn("Auth0"))
        await greeting.load()
        #expect(greeting.text == Greeting.loggedOut)
        await greeting.signIn.signIn()
        await greeting.load()
        #expect(greeting.text.hasPrefix("Hello, "))
        #expect(greeting.text.hasSuffix("You are logged in."))
        let outcome = await greeting.signIn.signOut(.everywhere)
        #expect(outcome?.failures.isEmpty == true)
        await greeting.load()
        #expect(greeting.text == Greeting.loggedOut)
        #expect(world.keychain.items.isEmpty)
    }
}
