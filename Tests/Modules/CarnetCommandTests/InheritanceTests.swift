import Foundation
import Testing

/// A descriptor that extends another one, and one with environments, from the command line.
@Suite("Inheritance")
struct InheritanceTests {
    private let home: CommandHome

    init() throws {
        home = try CommandHome()
        let environments = "environments:\n  sandbox: { issuer: \"https://sandbox.acme.example\" }\n"
        try home.write(Sample.acme() + environments, to: "providers/acme.yaml")
        let child = "carnet: 1\nid: child\nname: Child\nextends: acme\nscopes: { default: [openid] }\n"
        try home.write(child, to: "providers/child.yaml")
    }

    @Test("A child is linted, listed with its parent and tried")
    func aChildIsLintedListed() async throws {
        #expect(try await home.run("lint", "providers").status == 0)
        let providers = try await home.run("providers")
        #expect(providers.standardOutput.contains("(extends acme)"), "\(providers)")
        let tried = try await home.run("try", "child")
        #expect(tried.status == 0, "\(tried)")
        #expect(tried.standardOutput.contains("GET https://id.acme.example/.well-known/openid-configuration"))
        #expect(tried.standardOutput.contains(/\n +granted +openid\n/))
    }

    @Test("An environment sends every request to its own hosts")
    func anEnvironmentSendsEveryRequest() async throws {
        let tried = try await home.run("try", "child", "--environment", "sandbox")
        #expect(tried.status == 0, "\(tried)")
        #expect(tried.standardOutput.contains("GET https://sandbox.acme.example/.well-known/openid-configuration"))
        #expect(!tried.standardOutput.contains("https://id.acme.example"))
        let unknown = try await home.run("try", "child", "--environment", "sandbx")
        #expect(unknown.status == 2 && unknown.standardError.contains("sandbox"), "\(unknown)")
    }

    @Test("A circle is found, and hides no other provider")
    func aCircleIsFoundAndHides() async throws {
        try home.write("carnet: 1\nid: one\nname: One\nextends: two\n", to: "providers/one.yaml")
        try home.write("carnet: 1\nid: two\nname: Two\nextends: one\n", to: "providers/two.yaml")
        let lint = try await home.run("lint", "providers")
        #expect(lint.status == 1 && lint.standardOutput.contains("one -> two -> one [K021]"), "\(lint)")
        #expect(try await home.run("try", "child").status == 0)
        #expect(try await home.run("try", "one").status == 2)
    }
}
