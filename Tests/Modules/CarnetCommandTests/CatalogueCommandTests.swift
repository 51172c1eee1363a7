import CarnetCatalog
import CarnetDescriptors
import CarnetFoundation
import CarnetSimulation
import Foundation
import Testing

@testable import CarnetCommand
@testable import CarnetDemo

/// Commands that have to stay usable with many providers.
@Suite("Catalogue command")
struct CatalogueCommandTests {
    private let home: CommandHome

    init() throws {
        home = try CommandHome()
    }

    @Test("A search finds words of id and name, in any case")
    func aSearchFindsWordsOfId() async throws {
        let found = try await home.run("providers", "--search", "GOOG")
        #expect(
            found.standardOutput.split(separator: "\n").map { $0.prefix { $0 != " " } } == ["google", "google-health"])
        let words = try await home.run("providers", "--search", "data jira", "--json")
        #expect(try words.providers().map { $0["id"] as? String } == ["jira-data-center"])
    }

    @Test("A search that finds nothing says so")
    func aSearchThatFindsNothingSays() async throws {
        let result = try await home.run("providers", "--search", "nobody")
        #expect(result.status == 0)
        #expect(result.standardOutput.isEmpty)
        #expect(result.standardError == "no provider has \"nobody\" in its id or name\n")
        let typo = try await home.run("providers", "--search", "gogle")
        #expect(typo.standardError == "no provider has \"gogle\" in its id or name; did you mean google?\n")
    }

    @Test("The JSON of a provider has what a program chooses by")
    func theJSONOfAProviderHas() async throws {
        let result = try await home.run("providers", "--search", "google", "--json")
        let google = try #require(try result.providers().first)
        #expect(google["name"] as? String == "Google")
        #expect((google["docs"] as? String)?.hasPrefix("https://developers.google.com/") == true)
        #expect((google["verified"] as? [String: Any])?["date"] as? String != nil)
        #expect(google["pkce"] as? Bool == true)
        #expect(google["default_scopes"] as? [String] == ["openid", "profile", "email"])
        #expect((google["endpoints"] as? [String])?.contains("revocation") == true)
        #expect(
            google["grants"] as? [String] == [
                "authorization_code", "urn:ietf:params:oauth:grant-type:device_code",
            ])
    }

    @Test("A provider that is closed or ends is listed with this remark")
    func aProviderThatIsClosed() async throws {
        let folder = home.folder.appending(path: "more")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let rest = "endpoints: { authorization: https://a.example/auth, token: https://a.example/token }\n"
        func file(_ id: String, _ lines: String) throws {
            let text = "carnet: 1\nid: \(id)\nname: \(id)\n\(lines)\n\(rest)"
            try Data(text.utf8).write(to: folder.appending(path: "\(id).yaml"))
        }
        try file("shut", "status: { closed: partners alone, link: 'https://a.example/news' }")
        try file("leaving", "status: { retiring: '2027-01-31', because: a new service replaces it }")
        let list = try await home.run("providers", "--providers", folder.path).standardOutput.split(separator: "\n")
        #expect(list.contains { $0.hasPrefix("shut ") && $0.hasSuffix("(closed to new applications)") })
        #expect(list.contains { $0.hasPrefix("leaving ") && $0.hasSuffix("(ends on 2027-01-31)") })
        let json = try await home.run("providers", "--search", "shut", "--providers", folder.path, "--json").providers()
        let status = try #require(json.first?["status"] as? [String: Any])
        #expect(status["state"] as? String == "closed")
        #expect(status["reason"] as? String == "partners alone")
        #expect(status["link"] as? String == "https://a.example/news")
        let show = try await home.run("show", "shut", "--providers", folder.path)
        #expect(show.standardError.contains("shut is closed to new applications: partners alone"), "\(show)")
        let login = try await home.run("login", "shut", "--providers", folder.path)
        #expect(login.status == 2)
        #expect(login.standardError.contains("shut is closed to new applications: partners alone"), "\(login)")
    }

    @Test("Without a client id, the command prints what the console calls it")
    func withoutAClientID() async throws {
        let folder = home.folder.appending(path: "more")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let text = """
            carnet: 1
            id: acme
            name: Acme
            endpoints: { authorization: https://a.example/auth, token: https://a.example/token }
            register:
              url: https://a.example/console
              id: App key
              secret: App secret
              notes: [Add the product Login to the app.]

            """
        try Data(text.utf8).write(to: folder.appending(path: "acme.yaml"))
        let login = try await home.run("login", "acme", "--providers", folder.path)
        #expect(login.status == 2)
        for line in [
            "register a client at Acme, see https://a.example/console",
            "Acme calls the client id \"App key\" and the client secret \"App secret\"",
            "Add the product Login to the app.",
        ] {
            #expect(login.standardError.contains(line), "\(login)")
        }
    }

    @Test("All built-in providers are listed")
    func allBuiltInProvidersAreListed() async throws {
        let ids = try await home.run("providers", "--json").providers().compactMap { $0["id"] as? String }
        #expect(ids == ProviderRegistry.builtIn.ids.map(\.rawValue))
    }

    @Test("A shell completes the ids")
    func aShellCompletesTheIds() async throws {
        let script = try await home.run("--generate-completion-script", "bash")
        #expect(script.standardOutput.contains("---completion try -- positional@0"), "\(script)")
        let ids = try await home.run("---completion", "try", "--", "positional@0", "0", "0", "")
        #expect(ids.standardOutput.split(separator: "\n").contains("google"), "\(ids)")
    }

    @Test("compare takes a provider, or all")
    func compareTakesAProviderOrAll() async throws {
        #expect(try await home.run("compare").status == 2)
        #expect(try await home.run("compare", "google", "--all").status == 2)
    }

    @Test("compare compares several, and one that cannot be reached does not end it")
    func compareReadsSeveralAndOne()
        async throws
    {
        let port = try Sample.freePort()
        let issuer = "http://127.0.0.1:\(port)"
        try home.write(Sample.acme(issuer: issuer), to: "mine/acme.yaml")
        let sandbox = try await RunningSandbox(home, "acme", "--providers", "mine", "--port", String(port))
        defer { sandbox.run.stop() }
        try home.write(
            Sample.acme(issuer: issuer).replacing("id: acme", with: "id: drifted")
                + "endpoints: { token: \"\(issuer)/old\" }\n", to: "mine/drifted.yaml")
        try home.write(
            Sample.acme(issuer: "http://127.0.0.1:1").replacing("id: acme", with: "id: away"), to: "mine/away.yaml")
        try await home.write(home.run("new", "plain").standardOutput, to: "mine/plain.yaml")
        let (acme, away, drifted, plain) = (
            "./mine/acme.yaml", "./mine/away.yaml", "./mine/drifted.yaml", "./mine/plain.yaml"
        )
        let text = try await home.run("compare", acme, away, drifted, plain)
        #expect(text.status == 1, "\(text)")
        #expect(text.standardOutput.contains("endpoints.token: the metadata says \"\(issuer)/token\""), "\(text)")
        #expect(text.standardOutput.hasSuffix("2 compared, 1 failed, 1 skipped\n"), "\(text)")
        #expect(text.standardError.contains("away: "), "\(text)")
        let json = try await home.run("compare", acme, away, drifted, plain, "--json").json()
        let providers = try #require(json["providers"] as? [[String: Any]])
        #expect(providers.map { $0["id"] as? String } == ["acme", "away", "drifted"])
        #expect((providers[0]["drift"] as? [Any])?.isEmpty == true)
        #expect(providers[1]["error"] as? String != nil)
        #expect((providers[2]["drift"] as? [Any])?.count == 1)
        #expect(json["skipped"] as? [String] == ["plain"])
        try home.write(
            Sample.acme(issuer: "http://127.0.0.1:2").replacing("id: acme", with: "id: gone"), to: "mine/gone.yaml")
        let both = try await home.run("compare", away, "./mine/gone.yaml")
        #expect(both.standardOutput == "0 compared, 2 failed\n", "\(both)")
        #expect(both.standardError.contains("2 providers: no response from the server"), "\(both)")
        #expect(both.standardError.contains("away, gone"), "\(both)")
    }

    @Test("The first page of the demonstration has initials where there are many providers")
    func theFirstPageOfTheDemonstration() throws {
        let providers = try ["zoho", "google", "gitlab", "twitter"].map { id in
            let descriptor = try ProviderRegistry.builtIn.descriptor(ProviderID(rawValue: id))
            return (provider: try descriptor.resolve(inputs: descriptor.simulatedInputs().values), isSandboxed: true)
        }
        let many = Array(repeating: providers, count: 7).flatMap { $0 }
        let page = DemoPages().home(query: "", accounts: [], providers: many, problems: []).text
        // By name: GitLab, Google, X, Zoho.
        let links = page.matches(of: /<a href="#(initial-\d)">(.)<\/a>/).map { ($0.output.1, $0.output.2) }
        #expect(links.map(\.1) == ["G", "X", "Z"])
        for (anchor, _) in links { #expect(page.matches(of: try Regex("<li id=\"\(anchor)\">")).count == 1) }
        #expect(page.contains("<input id=\"q\" name=\"q\" type=\"search\""))
        let few = DemoPages().home(query: "", accounts: [], providers: providers, problems: []).text
        #expect(!few.contains("class=\"initials\""))
    }
}

extension CommandResult {
    fileprivate func providers() throws -> [[String: Any]] {
        try #require(try json()["providers"] as? [[String: Any]])
    }
}
