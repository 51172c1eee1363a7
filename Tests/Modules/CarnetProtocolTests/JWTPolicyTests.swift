import CarnetProtocol
import CarnetTestSupport
import Foundation
import Testing

@Suite("The policies for JWTs")
struct JWTPolicyTests {
    /// What every kind of JWT must say, as `Docs/security.md` shows it.
    private static let table = """
        | kind | `typ` | `iss` | `aud` | `exp` | `iat` |
        |---|---|---|---|---|---|
        | the ID token | `jwt` or none | required | required | required | required |
        | the logout token | `jwt`, `logout+jwt` or none | required | required | required unless the descriptor says otherwise | required |
        | the signed callback | `jwt` or none | required | required | required | optional |
        | the signed profile | `jwt` or none | optional | optional | optional | optional |
        | the signed response | `token-introspection+jwt` | required | required | optional | optional |
        | the JWT of a claim source | `jwt` or none | required | optional | optional | optional |
        | the access token | `at+jwt`, `jwt` or none | required | required | required | optional |
        | the DPoP proof | `dpop+jwt` | optional | optional | optional | required |
        """

    @Test("The table pins every kind")
    func pinned() {
        let rows = JWTPolicy.all.map { policy in
            let types = policy.types.map { "`\($0)`" }.joined(separator: ", ") + (policy.mayLackType ? " or none" : "")
            let presences = [policy.issuer, policy.audience, policy.expiry, policy.issuedAt].map(\.rawValue)
            return "| " + ([policy.name, types] + presences).joined(separator: " | ") + " |"
        }
        #expect(rows == Self.table.split(separator: "\n").dropFirst(2).map(String.init))
    }

    @Test("Docs/security.md shows the table")
    func documented() throws {
        #expect(try Repository.file("Docs/security.md").text.contains(Self.table))
    }
}
