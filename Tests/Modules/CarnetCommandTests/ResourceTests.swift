import Foundation
import Testing

@Suite("Resource")
struct ResourceTests {
    private let home: CommandHome

    init() throws {
        home = try CommandHome()
        let scopeData = BuiltProduct.package.appending(path: "Tests/Modules/CarnetCommandTests/Fixtures/scopeData.json")
        try FileManager.default.copyItem(at: scopeData, to: home.folder.appending(path: "scopeData.json"))
    }

    /// The titles of the open resources after a sign-in that was granted these scopes.
    private func openTitles(granted scopes: String) async throws -> [String] {
        try home.write(Sample.acme(), to: "providers/acme.yaml")
        let sandbox = try await RunningSandbox(home, "acme")
        let login = try await home.logIn("acme", "--scope", scopes, "--account", "a", "--sandbox", sandbox.address)
        #expect(login.status == 0, "\(login)")
        let arguments = ["resources", "acme", "--map", "scopeData.json", "--sandbox", sandbox.address]
        let run = try home.start(arguments + ["--json"])
        let document = try await run.finish().json()
        let resources = try #require(document["resources"] as? [[String: Any]])
        return resources.filter { $0["open"] as? Bool == true }.compactMap { $0["title"] as? String }
    }

    @Test("Three scopes open three resources, in the order of the file")
    func threeScopesOpenThreeResources() async throws {
        #expect(try await openTitles(granted: "openid email profile") == ["Transfer", "Balance", "Some name"])
    }

    @Test("One scope less opens one resource less")
    func oneScopeLessOpensOneResource() async throws {
        #expect(try await openTitles(granted: "openid email") == ["Transfer", "Balance"])
    }

    @Test("A scope that only begins like another opens nothing")
    func aScopeThatOnlyBeginsLike() async throws {
        #expect(try await openTitles(granted: "openid email_extra") == ["Transfer"])
    }

    @Test("People see what is open and what a closed one needs")
    func peopleSeeWhatIsOpen() async throws {
        let sandbox = try await RunningSandbox(home, "google")
        try await home.logIn("google", "--scope", "openid email", "--sandbox", sandbox.address)
        let result = try await home.run(
            "resources", "google", "--map", "scopeData.json", "--sandbox", sandbox.address)
        #expect(
            result.standardOutput == """
                Transfer  GET  http://localhost:8080/banking/transfer
                Balance   GET  http://localhost:8080/banking/balance

                not granted:
                  Some name  needs profile
                  Phone      needs phone

                """
        )
    }

    @Test("A resource that is not granted is not called")
    func aResourceThatIsNotGranted() async throws {
        let sandbox = try await RunningSandbox(home, "google")
        try await home.logIn("google", "--sandbox", sandbox.address)
        let result = try await home.run(
            "call", "google", "Phone", "--map", "scopeData.json", "--sandbox", sandbox.address)
        #expect(result.status == 1)
        #expect(result.standardError.contains("sign in with --scope phone"))
    }

    @Test("The token goes to no host that nobody declared")
    func theTokenGoesToNoHost() async throws {
        let sandbox = try await RunningSandbox(home, "google")
        try await home.logIn("google", "--sandbox", sandbox.address)
        let result = try await home.run("call", "google", "https://evil.example/", "--sandbox", sandbox.address)
        #expect(result.status == 1)
        #expect(result.standardError.contains("the access token must not be sent to https://evil.example"))
    }

    @Test("A method and a body can be sent")
    func aMethodAndABodyCan() async throws {
        try home.write(
            Sample.acme() + """
                resources:
                  - { scope: openid, id: note, title: Note, url: "https://api.acme.example/note", method: POST }

                """,
            to: "providers/acme.yaml"
        )
        let sandbox = try await RunningSandbox(home, "acme")
        try await home.logIn("acme", "--sandbox", sandbox.address)
        let result = try await home.run(
            "call", "acme", "note", "-X", "POST", "-d", "{\"text\": \"a+b&c\"}", "-v", "--sandbox", sandbox.address)
        #expect(result.status == 0, "\(result)")
        #expect(result.standardError.contains("> POST https://api.acme.example/note"))
        #expect(result.standardError.contains("> Content-Type: application/json"))
    }

    @Test("A broken map is shown with its places")
    func aBrokenMapIsShown() async throws {
        let sandbox = try await RunningSandbox(home, "google")
        try await home.logIn("google", "--sandbox", sandbox.address)
        try home.write("[{\"scope\": \"openid\", \"titel\": \"A\", \"url\": \"https://a.example\"}]", to: "map.json")
        let result = try await home.run("resources", "google", "--map", "map.json", "--sandbox", sandbox.address)
        #expect(result.status == 2)
        #expect(result.standardError.contains("map.json:1:22: error: unknown key \"titel\" [K001]"), "\(result)")
    }
}
