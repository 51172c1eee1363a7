import Foundation
import Testing

/// Options and keys that take the name of a variable, given the secret itself.
@Suite("Named variables")
struct NamedVariableTests {
    private let home: CommandHome

    init() throws {
        home = try CommandHome()
    }

    private static let secret = "s3cr3t-VALUE"
    private static let advice = "takes the name of a variable, not the secret"

    private static let uses = [
        ["login", "google", "--client-id", "x", "--client-secret-env", secret],
        ["login", "google", "--client-id", "x", "--input-env", "tenant=\(secret)"],
        ["token", "google", "--jwt-bearer", "--client-id", "x", "--assertion-env", secret],
        ["mcp", "https://api.acme.example/mcp", "--header-env", "Authorization: \(secret)"],
    ]

    @Test("A secret in place of the variable's name is not repeated", arguments: uses)
    func secretInPlaceOfTheName(_ arguments: [String]) async throws {
        let result = try await home.start(arguments).finish()
        #expect(result.status == 2 && result.standardError.contains(Self.advice), "\(result)")
        #expect(!"\(result.standardOutput)\(result.standardError)".contains("s3cr3t"), "\(result)")
    }

    /// Texts of tokens that a shell would take for a name.
    @Test(
        "A secret that could be a name is not repeated",
        arguments: ["ghp_16C7e42F292c6912E7710c838347Ae178B4a", "GOCSPX_abcd1234SECRET", "a3f1c9d07b5e4286"])
    func secretLikeAName(_ secret: String) async throws {
        for arguments in Self.uses {
            let result = try await home.start(arguments.map { $0.replacing(Self.secret, with: secret) }).finish()
            #expect(result.status == 2 && result.standardError.contains(Self.advice), "\(result)")
            #expect(!"\(result.standardOutput)\(result.standardError)".contains(secret), "\(result)")
        }
    }

    @Test("A secret without the name of its header is not repeated")
    func secretWithoutHeader() async throws {
        let result = try await home.run("mcp", "https://api.acme.example/mcp", "--header-env", Self.secret)
        #expect(result.status == 2 && result.standardError.contains("write 'NAME: VARIABLE'"), "\(result)")
        #expect(!"\(result)".contains("s3cr3t"), "\(result)")
    }

    @Test("A secret in place of the variable's name in a file is not repeated")
    func secretInAFile() async throws {
        for key in ["client_secret_env", "client_key_env"] {
            try home.write("google: { client_id: x, \(key): \(Self.secret) }\n", to: "clients.yaml")
            let clients = try await home.run("login", "google", "--clients", "clients.yaml")
            #expect(clients.status == 2 && clients.standardError.contains("\(key) \(Self.advice)"), "\(clients)")
            #expect(!"\(clients)".contains("s3cr3t"), "\(clients)")
        }
        try home.write(
            """
            gateway: 1
            origin: https://apps.example
            providers: [{ id: google, client_id: x, client_secret_env: \(Self.secret) }]
            routes: [{ allow: signed_in }]

            """, to: "gateway.yaml")
        let gateway = try await home.run("gateway", "check", "gateway.yaml")
        #expect(gateway.status == 2 && gateway.standardError.contains(Self.advice), "\(gateway)")
        #expect(!"\(gateway)".contains("s3cr3t"), "\(gateway)")
    }

    @Test("An empty variable is called empty, and a variable's reference leads to its name")
    func emptyVariable() async throws {
        func run(_ name: String) async throws -> CommandResult {
            try await home.run(
                "login", "google", "--client-id", "x", "--client-secret-env", name, environment: ["EMPTY": ""])
        }
        let empty = try await run("EMPTY")
        #expect(empty.status == 2 && empty.standardError.contains("EMPTY is empty"), "\(empty)")
        let unset = try await run("NOWHERE")
        #expect(unset.status == 2 && unset.standardError.contains("NOWHERE is not set"), "\(unset)")
        let reference = try await run("${ACME_SECRET}")
        #expect(reference.standardError.contains("write the name alone: ACME_SECRET"), "\(reference)")
    }
}
