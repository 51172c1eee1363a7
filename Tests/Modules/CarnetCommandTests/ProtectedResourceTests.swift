// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import CarnetFoundation
import CarnetServerTestSupport
import Foundation
import Testing

@Suite("Sign-in by the URL of a resource")
struct ProtectedResourceTests {
    private static let url = "https://api.acme.example/mcp"
    private let home: CommandHome

    init() throws {
        home = try CommandHome()
    }

    @Test("A person signs in at a resource that no file describes, and later commands find the account by the URL")
    func aPersonSignsInAtAResource() async throws {
        let sandbox = try await RunningSandbox(home, "--resource", Self.url)
        let login = try await home.logIn(Self.url, "--sandbox", sandbox.address)
        #expect(login.status == 0, "\(login)")
        #expect(login.standardOutput.hasPrefix("signed in to api.acme.example as "))
        #expect(login.standardError.contains("next: carnet token \(Self.url) --sandbox \(sandbox.address)"), "\(login)")
        let shown = try await home.run("show", Self.url)
        #expect(shown.standardOutput.contains(#"resource: "https://api.acme.example/mcp""#), "\(shown)")
        #expect(shown.standardOutput.contains(#"issuer: "https://api.acme.example""#), "\(shown)")
        let token = try await home.run("token", Self.url, "--raw", "--sandbox", sandbox.address)
        #expect(token.status == 0 && !token.standardOutput.isEmpty, "\(token)")
        let called = try await home.run("call", Self.url, Self.url, "--sandbox", sandbox.address)
        #expect(called.status == 0 && called.standardOutput.contains("/mcp"), "\(called)")
        let resolved = try await home.run("show", Self.url, "--resolved")
        #expect(
            resolved.status == 0 && resolved.standardOutput.contains("resource=https%3A%2F%2Fapi.acme.example%2Fmcp"))
        #expect(try await home.run("logout", Self.url, "--sandbox", sandbox.address).status == 0)
    }

    @Test("A descriptor with a resource is linted, shown and tried like any other")
    func aDescriptorWithAResource() async throws {
        let file = try home.write("carnet: 1\nid: mine\nname: Mine\nresource: \(Self.url)\n", to: "providers/mine.yaml")
        let lint = try await home.run("lint", file.path)
        #expect(lint.status == 0 && !lint.standardOutput.contains("error"), "\(lint)")
        let trial = try await home.run("try", file.path)
        #expect(trial.status == 0, "\(trial)")
        #expect(trial.standardOutput.contains("/.well-known/oauth-protected-resource/mcp"), "\(trial)")
    }

    @Test("A resource at which nobody signed in, and what is no URL, are errors that say what to do")
    func unknownResources() async throws {
        let unknown = try await home.run("token", Self.url)
        #expect(unknown.status == 1 && unknown.standardError.contains("carnet login \(Self.url)"), "\(unknown)")
        let insecure = try await home.run("login", "http://api.acme.example/mcp")
        #expect(insecure.status != 0 && insecure.standardError.contains("use https"), "\(insecure)")
    }

    /// A server with TLS, whose metadata as a resource names these authorization servers, `ORIGIN` being its own origin.
    private func server(
        _ issuers: String, page: String, _ certificate: TestCertificate
    ) async throws -> (PlayedServer, logIn: ([String]) async throws -> CommandResult) {
        let origin = Lock("")
        let server = try await PlayedServer(certificate: certificate) { request in
            let origin = origin.withLock(\.self)
            return switch request.path {
            case "/.well-known/oauth-protected-resource/mcp":
                .json(
                    200,
                    #"{"resource":"ORIGIN/mcp","authorization_servers":[\#(issuers)]}"#
                        .replacing("ORIGIN", with: origin))
            case "/.well-known/oauth-authorization-server":
                .json(
                    200,
                    #"{"issuer":"ORIGIN","authorization_endpoint":"\#(page)","token_endpoint":"ORIGIN/token","#
                        .appending(#""registration_endpoint":"ORIGIN/register"}"#).replacing("ORIGIN", with: origin))
            case "/register": .json(201, #"{"client_id":"c","token_endpoint_auth_method":"none"}"#)
            default: .json(401, "{}")
            }
        }
        origin.withLock { $0 = "https://\(server.authority)" }
        return (
            server,
            { options in
                try await home.start(
                    [
                        "login", "https://\(server.authority)/mcp", "--no-browser", "--timeout", "2", "--ca-file",
                        certificate.certificatePath, "--allow-local", "127.0.0.1",
                    ] + options
                ).finish()
            }
        )
    }

    @Test("PR-36: A sign-in page at another host than the issuer needs a person's word, which is kept")
    func PR_36_pageAtAnotherHost() async throws {
        let certificate = try TestCertificate(subjectAlternativeName: "IP:127.0.0.1")
        let (server, logIn) = try await server(
            #""ORIGIN""#, page: "https://login.acme.example/authorize", certificate)
        for options in [[], ["--authorization-host", "acme.example"]] {
            let refused = try await logIn(options)
            #expect(refused.status == 1 && refused.standardError.contains("127.0.0.1"), "\(refused)")
            #expect(refused.standardError.contains("--authorization-host login.acme.example"), "\(refused)")
            #expect(!refused.standardError.contains("authorize?"), "\(refused)")
        }
        #expect(!server.requests.contains { $0.path == "/register" })
        let confirmed = try await logIn(["--authorization-host", "login.acme.example"])
        #expect(confirmed.standardError.contains("https://login.acme.example/authorize?"), "\(confirmed)")
        let later = try await logIn([])
        #expect(later.standardError.contains("https://login.acme.example/authorize?"), "\(later)")
    }

    @Test("PR-08: A person chooses one of several authorization servers, once")
    func PR_08_chosenServer() async throws {
        let certificate = try TestCertificate(subjectAlternativeName: "IP:127.0.0.1")
        let (server, logIn) = try await server(
            #""https://id.acme.example","ORIGIN""#, page: "ORIGIN/authorize", certificate)
        for options in [[], ["--authorization-host", "other.example"]] {
            let refused = try await logIn(options)
            #expect(refused.status == 1 && refused.standardError.contains("2 authorization servers"), "\(refused)")
            #expect(refused.standardError.contains("--authorization-host"), "\(refused)")
        }
        #expect(!server.requests.contains { $0.path == "/register" })
        for options in [["--authorization-host", "127.0.0.1"], []] {
            let result = try await logIn(options)
            #expect(result.standardError.contains("https://\(server.authority)/authorize?"), "\(result)")
        }
    }

    /// The URLs differ, and their ids do not: PR-26 says why.
    @Test("PR-26: The file of another resource with the same id is not used")
    func PR_26_fileOfAnotherResource() async throws {
        let id = "api-acme-example-6552b2e0eeeac67b"
        let twin = "https://api-acme.example/vurltrfiahd0cyqda"
        let text = "carnet: 1\nid: \(id)\nname: Twin\nresource: \(twin)\nissuer: https://id.twin.example\n"
        try home.write(text, to: ".config/carnet/resources/\(id).yaml")
        let own = try await home.run("show", "https://api.acme.example/resource")
        #expect(own.status == 1 && own.standardError.contains("nobody is signed in"), "\(own)")
        #expect(!own.standardOutput.contains("twin"), "\(own)")
        let other = try await home.run("show", twin)
        #expect(other.status == 0 && other.standardOutput.contains("id.twin.example"), "\(other)")
    }
}
