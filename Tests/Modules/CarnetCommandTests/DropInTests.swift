import Foundation
import Testing

/// Five lines in a folder are a provider, with no rebuild.
@Suite("Drop-in folders")
struct DropInTests {
    private let home: CommandHome

    init() throws {
        home = try CommandHome()
    }

    @Test("A file in ./providers is listed, linted, shown and tried")
    func aFileInProvidersIsListed() async throws {
        let file = try home.write(Sample.acme(), to: "providers/acme.yaml")
        let providers = try await home.run("providers")
        #expect(providers.status == 0)
        let lines = providers.standardOutput.split(separator: "\n").map { $0.split(separator: " ") }
        #expect(lines.contains(["acme", "Acme", "providers"]))
        let lint = try await home.run("lint", file.path)
        #expect(lint.status == 0 && lint.standardOutput == "no findings in 1 file\n", "\(lint)")
        #expect(try await home.run("show", "acme").standardOutput == Sample.acme())
        let resolved = try await home.run("show", "acme", "--resolved")
        #expect(resolved.standardOutput.contains("issuer: https://id.acme.example\n"))
        #expect(try await home.run("try", "acme").status == 0)
    }

    @Test("A file dropped into a folder is signed in to at a real address")
    func aFileDroppedIntoAFolder() async throws {
        let port = try Sample.freePort()
        try home.write(Sample.acme(issuer: "http://127.0.0.1:\(port)"), to: "providers/acme.yaml")
        let sandbox = try await RunningSandbox(home, "acme", "--port", "\(port)")
        #expect(sandbox.address == "http://127.0.0.1:\(port)")
        let login = try await home.logIn("acme", "--client-id", "carnet-sandbox")
        #expect(login.status == 0, "\(login)")
        #expect(login.standardOutput.hasPrefix("signed in to Acme as "))
        let profile = try await home.run("profile", "acme", "--json")
        let claims = try #require(try profile.json()["profile"] as? [String: Any])
        #expect(claims["subject"] as? String != nil && claims["email"] as? String != nil)
    }

    @Test("A later place overrides an earlier one, and that is said")
    func aLaterPlaceOverridesAnEarlier() async throws {
        try home.write(Sample.acme(), to: ".config/carnet/providers/acme.yaml")
        try home.write(Sample.acme(issuer: "https://env.example"), to: "environment/acme.yaml")
        try home.write(Sample.acme(issuer: "https://option.example"), to: "option/acme.yaml")
        let environment = ["CARNET_PROVIDERS": "environment:"]
        func issuer(_ arguments: String..., environment: [String: String] = [:]) async throws -> String {
            let run = try home.start(["show", "acme"] + arguments, environment: environment)
            return try await run.finish().standardOutput.split(separator: "\n")[3].description
        }
        #expect(try await issuer("--providers", "option", environment: environment) == "issuer: https://option.example")
        #expect(try await issuer(environment: environment) == "issuer: https://env.example")
        #expect(try await issuer() == "issuer: https://id.acme.example")
        let listed = try await home.run("providers", environment: environment)
        #expect(listed.standardOutput.contains("environment  (overrides ~/.config/carnet/providers)"))
    }

    @Test("A broken file is reported and hides no other")
    func aBrokenFileIsReported() async throws {
        try home.write(Sample.acme(), to: "providers/acme.yaml")
        try home.write("carnet: 1\nid: broken\nnam: Broken\n", to: "providers/broken.yaml")
        let listed = try await home.run("providers", "--json")
        #expect(listed.status == 0)
        #expect(listed.standardError.contains("providers/broken.yaml has 2 errors and is skipped"))
        #expect(try listed.json()["broken"] as? [String] == ["providers/broken.yaml"])
        #expect(try listed.json()["refused"] as? [String] == [])
        #expect(try await home.run("try", "acme").status == 0)
        let named = try await home.run("try", "broken")
        #expect(named.status == 2)
        #expect(named.standardError.contains("providers/broken.yaml has errors; run carnet lint on it"))
        #expect(named.standardError.contains("next  run carnet lint providers/broken.yaml\n"), "\(named)")
        #expect(!named.standardError.contains("list them"), "\(named)")
    }
}
