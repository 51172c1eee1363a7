import ArgumentParser
import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import HTTPTypes

struct CallCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "call",
        abstract: "Call a resource with an account's access token or the client's own, and print the response.",
        discussion: """
            The token is sent only to declared hosts: the hosts of the descriptor's resources, of api.hosts, of the \
            resource map and of the userinfo endpoint. Redirects are not followed.

            Examples:
              carnet call acme https://api.acme.example/me
              carnet call acme invoices
              carnet call acme https://api.acme.example/notes -X POST -d '{"text":"hello"}'
              carnet call acme reports --client-credentials --scope reports
            """)

    @OptionGroup var account: AccountOptions

    @Argument(value: "resource|url", "The id or title of a resource, or a URL.") var resource: String

    @OptionGroup var map: MapOptions

    @Option(
        name: [.customShort("X"), .customLong("request")], help: ArgumentHelp("The HTTP method.", valueName: "method"),
        completion: .list(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"]))
    var method: String?

    @Option(name: [.customShort("d"), .customLong("data")], help: ArgumentHelp("The body.", valueName: "body"))
    var body: String?

    @OptionGroup(title: "Options without an account") var ownToken: ClientTokenOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func validate() throws { try ownToken.validate(beside: account) }

    func run(_ context: CommandContext) async throws {
        if ownToken.isWanted { return try await callWithOwnToken(context) }
        let account = try await Account(account, context)
        let session = try await account.session()
        let response = try await account.explaining {
            let map = try await self.map.map(for: account, context.console)
            let target = try target(in: map)
            try check(target, granted: account.stored.tokens.scopes, at: account.client.provider)
            return try await call(target, context.console) {
                try await session.send($0, body: $1, declared: map.resources)
            }
        }
        show(response, account.entry, context.console)
    }

    private func callWithOwnToken(_ context: CommandContext) async throws {
        try await ownToken.withClient(of: account, context) { client, grant, entry in
            let map = try await map.map(for: client, with: grant, context.console)
            let target = try target(in: map)
            let tokens = try await context.console.showing("requesting a token") { try await client.tokens(for: grant) }
            try check(target, granted: tokens.scopes, at: client.provider)
            let response = try await call(target, context.console) {
                try await client.send($0, body: $1, with: grant, declared: map.resources)
            }
            show(response, entry, context.console)
        }
    }

    private func call(
        _ target: Target, _ console: Console, _ send: (HTTPRequest, [UInt8]) async throws -> IncomingResponse
    ) async throws -> IncomingResponse {
        var request =
            if let resource = target.resource {
                try HTTPRequest(for: resource, method: target.method)
            } else {
                HTTPRequest(url: target.url.text, method: target.method)
            }
        if let contentType { request.headerFields[.contentType] = contentType }
        return try await console.showing("calling \(target.url.host)") { [request] in
            try await send(request, Array((body ?? "").utf8))
        }
    }

    private struct Target {
        var resource: Resource?
        var url: WebURL
        var method: HTTPRequest.Method
    }

    private func target(in map: ResourceMap) throws -> Target {
        let given = method.flatMap { HTTPRequest.Method($0.uppercased()) }
        if let method, given == nil { throw Failure(.usage, "-X \(method) is not an HTTP method") }
        if let found = map.resource(named: resource) {
            let own = HTTPRequest.Method(found.method.rawValue) ?? .get
            return Target(resource: found, url: found.target, method: given ?? own)
        }
        if let reason = map.unknown.first(where: { $0.names.contains(resource) })?.reason {
            throw Failure(.usage, "the URL of the resource \"\(resource)\" is not known: \(reason)")
        }
        guard resource.contains("://") else {
            let names = map.resources.map { $0.id ?? $0.title }
            let all =
                names.isEmpty
                ? "the descriptor has no resources; add --map FILE" : "resources: " + names.joined(separator: ", ")
            throw Failure(
                .usage, "there is no resource \"\(resource)\"",
                next: [nearestName(to: resource, in: names).map { "did you mean \"\($0)\"?" } ?? all])
        }
        let url = try WebURL(given: resource, as: resource)
        return Target(url: url, method: given ?? (body == nil ? .get : .post))
    }

    /// A resource that is not open is not called: the response is known.
    private func check(_ target: Target, granted scopes: [String], at provider: Provider) throws {
        guard let resource = target.resource else { return }
        let access = ResourceMap([resource], scopes: provider.scopes).access(granted: scopes)
        guard let missing = access.first?.missing, !missing.isEmpty else { return }
        throw OAuthError(
            .resource, .insufficientScope, "\"\(resource.title)\" needs scopes that were not granted",
            descriptorKey: self.map.file == nil ? "resources" : nil,
            hint: (ownToken.isWanted ? "add" : "sign in with") + missing.map { " --scope \($0)" }.joined())
    }

    /// A body that is JSON is sent as JSON, any other as a form.
    private var contentType: String? {
        guard let body else { return nil }
        return (try? JSONValue(parsing: body)) == nil ? "application/x-www-form-urlencoded" : "application/json"
    }

    private func show(_ response: IncomingResponse, _ entry: ProviderRegistry.Entry, _ console: Console) {
        let json = try? JSONValue(parsing: response.body)
        let text = String(decoding: response.body, as: UTF8.self)
        if console.isJSON {
            console.print(json: [
                "status": .number(String(response.status)),
                "content_type": .optional(response.head.headerFields[.contentType]), "body": json ?? .string(text),
                "descriptor_files": .list(entry.files),
            ])
        } else if OutputChannel.standardOutput.isTerminal {
            for line in (json?.jsonText(.indented) ?? text).printableLines { console.print(line) }
        } else {
            console.print(bytes: response.body)
        }
    }
}
