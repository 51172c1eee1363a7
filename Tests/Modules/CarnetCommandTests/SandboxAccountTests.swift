import CarnetTestSupport
import Foundation
import Testing

/// After `carnet login --sandbox`, the advice of each command leads to the sandbox and not to the real provider.
@Suite("Accounts at a sandbox")
struct SandboxAccountTests {
    private let home: CommandHome

    init() throws {
        home = try CommandHome()
    }

    @Test("A named command has the environment and the folders that were given")
    func givenOptions() async throws {
        let text = """
            carnet: 1
            id: acme
            name: Acme
            endpoints: { authorization: https://acme.example/authorize, token: https://acme.example/token }
            profile: { from: token, subject: { none: The API has no users. } }
            environments: { test: { endpoints: { token: https://test.acme.example/token } } }

            """
        try home.write(text, to: "mine/acme.yaml")
        let sandbox = try await RunningSandbox(home, "acme", "--environment", "test", "--providers", "mine")
        defer { sandbox.run.stop() }
        let login = try await home.logIn(
            "acme", "--sandbox", sandbox.address, "--environment", "test", "--providers", "mine")
        let suffix = "acme --sandbox \(sandbox.address) --environment test --providers mine"
        #expect(login.standardError.contains("next: carnet profile \(suffix), carnet resources \(suffix)"), "\(login)")
    }

    @Test("A command without --sandbox names the account and the command that finds it")
    func withoutTheOption() async throws {
        let sandbox = try await RunningSandbox(home, "google")
        defer { sandbox.run.stop() }
        let login = try await home.logIn("google", "--sandbox", sandbox.address)
        #expect(
            login.standardError.contains(
                "next: carnet profile google --sandbox \(sandbox.address), carnet resources google"),
            "\(login)")
        let commands = [
            ["token", "google"], ["profile", "google"], ["resources", "google"], ["call", "google", "person"],
            ["refresh", "google"], ["logout", "google"],
        ]
        for command in commands {
            let result = try await home.start(command).finish()
            #expect(result.status == 1, "\(result)")
            #expect(
                result.standardError.contains("the only account of google is at a sandbox: ada@example.com"),
                "\(result)")
            let advice = (["carnet"] + command + ["--sandbox", sandbox.address]).joined(separator: " ")
            #expect(result.standardError.contains("next      \(advice)\n"), "\(result)")
            #expect(!result.standardError.contains("storage"), "\(result)")
        }
        for command in commands {
            let result = try await home.start(command + ["--sandbox", sandbox.address]).finish()
            #expect(result.status == 0, "\(result)")
        }
        let secret = try await home.logIn("google", "--sandbox", sandbox.address)
        #expect(secret.status == 0)
        let call = try await home.run("call", "google", "person", "-d", "hidden=1")
        #expect(!call.standardError.contains("hidden"), "\(call)")
        #expect(call.standardError.contains("add --sandbox \(sandbox.address)"), "\(call)")
        let accounts = try await home.run("accounts")
        #expect(accounts.standardError.contains("add --sandbox \(sandbox.address)"), "\(accounts)")
    }

    @Test("After a sign-out, the sandbox leads back to the configured place, by the provider's names")
    func leadsBack() async throws {
        try home.write(
            Sample.acme() + "logout: { rename: { post_logout_redirect_uri: back, state: echo } }\n",
            to: "providers/acme.yaml")
        let run = try home.start(
            ["sandbox", "acme", "--providers", "providers"],
            environment: ["CARNET_ACME_POST_LOGOUT_REDIRECT_URI": "https://app.example/bye"])
        defer { run.stop() }
        let page =
            try await run.line(0, of: .standardOutput) + "/id.acme.example/logout?client_id=carnet-sandbox&echo=s1"
        let known = try await Browser().get(page + "&back=https%3A%2F%2Fapp.example%2Fbye")
        #expect(known.location == "https://app.example/bye?echo=s1")
        #expect(try await Browser().get(page + "&back=https%3A%2F%2Fevil.example%2F").status == 400)
    }

    @Test("At a sandbox, the next sign-in is there too, and an account at the provider is named")
    func atTheSandbox() async throws {
        let sandbox = try await RunningSandbox(home, "google")
        defer { sandbox.run.stop() }
        let nobody = try await home.run("profile", "google", "--sandbox", sandbox.address)
        #expect(nobody.status == 1 && nobody.standardError.contains("nobody is signed in to google at a sandbox"))
        #expect(nobody.standardError.contains("run carnet login google --sandbox \(sandbox.address)\n"), "\(nobody)")
        let real = try await home.run("profile", "google", "--json")
        #expect(real.status == 1 && real.standardError.contains("next      run carnet login google\n"), "\(real)")
    }

    @Test("A sandbox serves the resources of a map, and each of them responds to a sign-in with its scope")
    func resourceMap() async throws {
        let map = Repository.root.appending(path: "Examples/Cloudentity/scopeData.json").path
        try home.write(
            "cloudentity: { client_id: demo, inputs: { tenant: acme, workspace: demo, region: us } }\n",
            to: ".config/carnet/clients.yaml")
        let sandbox = try await RunningSandbox(home, "cloudentity", "--map", map)
        defer { sandbox.run.stop() }
        let place = ["--sandbox", sandbox.address]
        let login = try await home.logIn("cloudentity", "--sandbox", sandbox.address)
        #expect(login.status == 0, "\(login)")
        for button in ["Transfer", "Balance", "Some name"] {
            let call = try await home.start(["call", "cloudentity", button, "--map", map] + place).finish()
            #expect(call.status == 0 && call.standardOutput.contains("\"resource\""), "\(call)")
        }
        // The scope of the fourth was not granted.
        let phone = try await home.start(["call", "cloudentity", "Phone", "--map", map] + place).finish()
        #expect(phone.status != 0, "\(phone)")
        let several = try await home.run("sandbox", "google", "github", "--map", map)
        #expect(several.status == 2 && several.standardError.contains("--map is for one provider"), "\(several)")
    }

    @Test("Signing out twice is no failure")
    func signingOutTwice() async throws {
        let result = try await home.run("logout", "google")
        #expect(result.status == 0 && result.standardOutput == "nobody is signed in to google\n", "\(result)")
        let document = try await home.run("logout", "google", "--json").json()
        #expect(document["revoked"] as? Bool == false && document["account"] is NSNull)
    }

    @Test("register names the sign-in at the same sandbox")
    func register() async throws {
        try home.write(
            Sample.acme() + "endpoints: { registration: https://id.acme.example/register }\n", to: "providers/acme.yaml"
        )
        let sandbox = try await RunningSandbox(home, "acme", "--providers", "providers")
        defer { sandbox.run.stop() }
        let registered = try await home.run(
            "register", "acme", "--output", "c.yaml", "--providers", "providers", "--sandbox", sandbox.address)
        #expect(registered.status == 0, "\(registered)")
        #expect(
            registered.standardError.contains(
                "next: carnet login acme --clients c.yaml --sandbox \(sandbox.address)\n"), "\(registered)")
    }
}
