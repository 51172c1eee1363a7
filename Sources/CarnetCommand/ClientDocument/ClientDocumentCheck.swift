import ArgumentParser
import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import HTTPTypes

struct ClientDocumentCheckCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Request a document from its URL, and check it and the response.",
        discussion: """
            Examples:
              carnet client-document check https://app.example/client.json
            """)

    @Argument(value: "url", "The URL of the document.") var url: String

    @OptionGroup(title: "Connection options") var reach: ReachOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    /// What servers need not read (OAuth Client ID Metadata Document, section 6.6), in bytes.
    private static let maximum = 5120

    /// - Throws: `ExitStatus` if something is wrong; `Failure` without a response.
    func run(_ context: CommandContext) async throws {
        // The rules for the URL are those for writing a document.
        _ = try ClientMetadata(redirectURIs: ["http://127.0.0.1/callback"]).document(at: url)
        let place = try WebURL(url)
        let head = HTTPRequest(
            method: .get, scheme: place.scheme, authority: place.authority, path: place.target,
            headerFields: [.accept: "application/json", .userAgent: "Carnet"])
        let transport = reach.transport(to: [], context.environment)
        let response = try await context.console.showing("requesting \(place.host)") {
            try await transport.send(OutgoingRequest(head: head), limits: TransportLimits())
        }
        let problems = Self.problems(of: response, at: url)
        for problem in problems { context.console.print(problem.printable) }
        if problems.isEmpty { context.console.print("\(url.printable) is a client id") }
        context.console.print(json: ["client_id": .string(url), "problems": .list(problems)])
        if !problems.isEmpty { throw ExitStatus.failed }
    }

    static func problems(of response: IncomingResponse, at url: String) -> [String] {
        guard response.status == 200 else {
            return ["the status is \(response.status): it must be 200, without a redirect"]
        }
        var problems: [String] = []
        let type =
            (response.head.headerFields[.contentType] ?? "").lowercased()
            .split(separator: ";").first.map { String($0.trimming(\.isWhitespace)) } ?? ""
        if type != "application/json", !type.hasSuffix("+json") {
            problems.append(
                "the content type is \(type.isEmpty ? "missing" : type.quotable()): it must be application/json")
        }
        if response.body.count > maximum {
            problems.append("the document has \(response.body.count) bytes: servers may stop after \(maximum)")
        }
        guard let document = (try? JSONValue(parsing: response.body))?.object else {
            return problems + ["the document is not a JSON object"]
        }
        return problems + Self.problems(of: document, at: url)
    }

    private static func problems(of document: JSONObject, at url: String) -> [String] {
        var problems: [String] = []
        let id = document["client_id"]?.string
        if id.map({ $0.isSameBytes(as: url) }) != true {
            problems.append("client_id is \(id?.quotable() ?? "missing"): it must be the URL of the document")
        }
        let uris = document["redirect_uris"]?.array?.map { $0.string ?? "" } ?? []
        if uris.isEmpty { problems.append("redirect_uris is missing or empty") }
        for uri in uris {
            do throws(OAuthError) {
                // The rules are those for writing a document.
                _ = try ClientMetadata(redirectURIs: [uri]).document(at: url)
            } catch {
                problems.append("redirect_uris: \(error.message)")
            }
        }
        for name in ["client_secret", "client_secret_expires_at"] where document[name] != nil {
            problems.append("\(name) is in the document, which everybody can read")
        }
        if let method = document["token_endpoint_auth_method"]?.string, method.hasPrefix("client_secret_") {
            problems.append("token_endpoint_auth_method is \(method.quotable()), which needs a shared secret")
        }
        let keys = document["jwks"]?["keys"]?.array ?? []
        if keys.contains(where: { key in ["d", "k", "p", "q"].contains { key[$0] != nil } }) {
            problems.append("jwks has a private key, which everybody can read")
        }
        let grants = document["grant_types"]?.array?.compactMap(\.string)
        if let grants, !grants.contains("refresh_token") {
            problems.append("grant_types has no refresh_token, so servers may issue none")
        }
        return problems
    }
}
