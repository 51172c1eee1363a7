import ArgumentParser
import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import HTTPTypes

struct CallCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "call",
        abstract: "Call a resource with the access token, and print the response.",
        discussion: """
            The token is sent only to declared hosts: the hosts of the descriptor's resources, of api.hosts, of the \
            resource map and of the userinfo endpoint. Redirects are not followed.

            Examples:
              carnet call acme https://api.acme.example/me
              carnet call acme invoices
              carnet call acme https://api.acme.example/notes -X POST -d '{"text":"hello"}'
            """
    )

    @OptionGroup var account: AccountOptions

    @Argument(help: ArgumentHelp("The id or title of a resource, or a URL.", valueName: "resource|url"))
    var resource: String

    @OptionGroup var map: MapOptions

    @Option(
        name: [.customShort("X"), .customLong("request")], help: ArgumentHelp("The HTTP method.", valueName: "method"))
    var method: String?

    @Option(name: [.customShort("d"), .customLong("data")], help: ArgumentHelp("The body.", valueName: "body"))
    var body: String?

    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(_ context: CommandContext) async throws {
        let account = try await Account(account, context)
        let session = try await account.session()
        let response = try await account.explaining {
            let map = try await self.map.map(for: account, context.console)
            let call = try target(in: map, account)
            if let resource = call.resource { try check(resource, account) }
            var request =
                if let resource = call.resource {
                    try HTTPRequest(for: resource, method: call.method)
                } else {
                    HTTPRequest(url: call.url.text, method: call.method)
                }
            if let contentType { request.headerFields[.contentType] = contentType }
            return try await context.console.showing("calling \(call.url.host)") { [request] in
                try await session.send(request, body: Array((body ?? "").utf8), declared: map.resources)
            }
        }
        show(response, of: account, context.console)
    }

    private struct Target {
        var resource: Resource?
        var url: WebURL
        var method: HTTPRequest.Method
    }

    private func target(in map: ResourceMap, _ account: Account) throws -> Target {
        var given: HTTPRequest.Method?
        if let method {
            guard let parsed = HTTPRequest.Method(method.uppercased()) else {
                throw Failure(.usage, "-X \(method) is not an HTTP method")
            }
            given = parsed
        }
        if let found = map.resource(named: resource) {
            let own = HTTPRequest.Method(found.method.rawValue) ?? .get
            return Target(resource: found, url: found.target, method: given ?? own)
        }
        guard resource.contains("://") else {
            let names = map.resources.map { $0.id ?? $0.title }
            let nearest = nearestName(to: resource, in: names).map { "did you mean \"\($0)\"?" }
            throw Failure(
                .usage,
                "there is no resource \"\(resource)\"",
                next: [
                    nearest
                        ?? (names.isEmpty
                            ? "the descriptor has no resources; add --map FILE" : names.joined(separator: ", "))
                ]
            )
        }
        do throws(WebURLError) {
            return Target(url: try WebURL(resource), method: given ?? (body == nil ? .get : .post))
        } catch {
            throw Failure(.usage, "\(resource): \(error.reason)")
        }
    }

    /// A resource that is not open is not called: the response is known.
    private func check(_ resource: Resource, _ account: Account) throws {
        let access = ResourceMap([resource], scopes: account.client.provider.scopes)
            .access(granted: account.stored.tokens.scopes)
        guard let missing = access.first?.missing, !missing.isEmpty else { return }
        throw OAuthError(
            .resource,
            .insufficientScope,
            "\"\(resource.title)\" needs scopes that were not granted",
            descriptorKey: self.map.file == nil ? "resources" : nil,
            hint: "sign in with --scope " + missing.joined(separator: " --scope ")
        )
    }

    /// A body that is JSON is sent as JSON, any other as a form.
    private var contentType: String? {
        guard let body else { return nil }
        return (try? JSONValue(parsing: body)) == nil ? "application/x-www-form-urlencoded" : "application/json"
    }

    private func show(_ response: IncomingResponse, of account: Account, _ console: Console) {
        let json = try? JSONValue(parsing: response.body)
        if console.isJSON {
            let text = JSONValue.string(String(decoding: response.body, as: UTF8.self))
            console.print(
                json: JSONObject([
                    "status": .number(String(response.status)),
                    "content_type": .optional(response.head.headerFields[.contentType]), "body": json ?? text,
                    "descriptor_files": .list(account.entry.files),
                ])
            )
        } else if OutputChannel.standardOutput.isTerminal {
            let text = json?.jsonText(.indented) ?? String(decoding: response.body, as: UTF8.self)
            for line in text.printableLines { console.print(line) }
        } else {
            console.print(bytes: response.body)
        }
    }
}
