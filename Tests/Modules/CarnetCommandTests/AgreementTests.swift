import Foundation
import Testing

/// What lint passes works in the sandbox.
@Suite("Lint and try")
struct AgreementTests {
    private let home: CommandHome

    init() throws {
        home = try CommandHome()
    }

    private static let pages = """
        endpoints:
          authorization: https://acme.example/authorize
          token: https://acme.example/token
          userinfo: https://acme.example/me
        """

    /// The result of a trial of a descriptor in which lint finds no error.
    private func tryPassed(_ keys: String) async throws -> CommandResult {
        try home.write("carnet: 1\nid: acme\nname: Acme\n\(keys)\n", to: "providers/acme.yaml")
        let lint = try await home.run("lint", "providers/acme.yaml")
        #expect(lint.status == 0, "\(lint)")
        return try await home.run("try", "acme")
    }

    @Test(
        "A subject that is, or is made of, a standard member works with any scopes, without a sample",
        arguments: ["name", "email", "preferred_username", "name/id"],
        ["\(pages)", "\(pages)\nscopes: { default: [read] }", "\(pages)\nscopes: { default: [email] }"])
    func subjectAtStandardMember(member: String, keys: String) async throws {
        let tried = try await tryPassed("\(keys)\nprofile: { claims: { subject: /\(member) } }")
        #expect(tried.status == 0 && tried.standardOutput.contains(/subject +1000/), "\(tried)")
    }

    @Test(
        "A standard claim that a template takes comes with any scopes",
        arguments: [
            "\(pages)\nprofile: { derive: { subject: 'u-{claim.username}' } }",
            """
            issuer: https://acme.example
            scopes: { default: [openid] }
            profile: { from: id_token, derive: { subject: 'u-{claim.username}' } }
            """,
        ])
    func subjectOfStandardClaim(keys: String) async throws {
        let tried = try await tryPassed(keys)
        #expect(tried.status == 0 && tried.standardOutput.contains(/subject +u-/), "\(tried)")
    }
}
