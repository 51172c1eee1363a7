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

    @Test("The parent of a named file is the one beside it, before the known providers")
    func aParentBesideAFile() async throws {
        let child = "carnet: 1\nid: child\nname: Child\nextends: middle-of-three\nscopes: { default: [openid] }\n"
        try home.write(child, to: "own/child.yaml")
        let unknown = try await home.run("lint", "own/child.yaml")
        #expect(unknown.standardOutput.contains("[K020]"), "\(unknown)")
        let help = "write the parent as middle-of-three.yaml beside this file"
        #expect(unknown.standardOutput.contains(help), "\(unknown)")

        try home.write("carnet: 1\nid: middle-of-three\nname: Middle\nextends: acme\n", to: "own/middle-of-three.yml")
        let known = try await home.run("show", "own/child.yaml", "--resolved", "--providers", "providers")
        #expect(known.standardOutput.contains("https://id.acme.example"), "\(known)")

        let own = Sample.acme().replacing("id.acme.example", with: "own.acme.example")
        try home.write(own, to: "own/acme.yaml")
        try home.write("nonsense: [", to: "own/other.yaml")
        #expect(try await home.run("lint", "own/child.yaml").status == 0)
        for run in [
            try await home.run("show", "own/child.yaml", "--resolved"), try await home.run("try", "own/child.yaml"),
        ] {
            #expect(run.status == 0 && run.standardOutput.contains("https://own.acme.example"), "\(run)")
            #expect(!run.standardOutput.contains("https://id.acme.example"), "\(run)")
        }

        // A broken one does not give way to a known one.
        try home.write(own + "nonsense: 1\n", to: "own/acme.yaml")
        let broken = try await home.run("lint", "own/child.yaml")
        #expect(broken.status == 1 && broken.standardOutput.contains("[K022]"), "\(broken)")
        let tried = try await home.run("try", "own/child.yaml")
        #expect(tried.status == 2 && tried.standardError.contains("own/acme.yaml:"), "\(tried)")
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
