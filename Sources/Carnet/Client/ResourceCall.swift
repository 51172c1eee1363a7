import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
public import HTTPTypes

/// A request to a resource, before it has a token.
struct ResourceCall: Sendable {
    let url: WebURL
    let method: HTTPRequest.Method
    let headers: [Named<String>]
    /// The headers whose values are secret: those that no proxy may index either (RFC 7541, section 7.1.3).
    let secretHeaders: [String]
    let body: [UInt8]
    /// Resources whose origins the token may go to, besides those of the descriptor.
    let declared: [Resource]
    /// The statuses whose responses are returned.
    let statuses: Range<Int>
    /// Takes the body of a successful response while it arrives.
    var stream: ResponseStream?

    /// - Throws: `OAuthError` of kind `badHeader` if the request has no http or https URL.
    init(
        _ request: HTTPRequest, body: [UInt8], declared: [Resource], accepting statuses: Range<Int> = 200..<300
    ) throws(OAuthError) {
        do throws(WebURLError) {
            url = try WebURL("\(request.scheme ?? "")://\(request.authority ?? "")\(request.path ?? "")")
        } catch {
            throw OAuthError(.resource, .badHeader, "the request's URL is invalid: \(error)")
        }
        method = request.method
        headers = request.headerFields.map { Named($0.name.rawName, $0.value) }
        secretHeaders = request.headerFields.filter { $0.indexingStrategy == .disallow }.map(\.name.rawName)
        (self.body, self.declared, self.statuses) = (body, declared, statuses)
    }

    init(_ resource: Resource, body: [UInt8], headers: HTTPFields) throws(OAuthError) {
        guard !resource.isPattern else {
            throw OAuthError(
                .resource, .valueMissing, "the resource \"\(resource.title.quotable())\" stands for several URLs",
                descriptorKey: "resources", hint: "send a request for one of its URLs")
        }
        var request = try HTTPRequest(for: resource)
        for field in headers { request.headerFields[field.name] = field.value }
        try self.init(request, body: body, declared: [resource])
    }
}

extension OAuthClient {
    func send(
        _ call: ResourceCall, tokens: TokenSet, at provider: FilledProvider, within bounds: CredentialBounds,
        provedBy dpopKey: Secret?
    ) async throws -> IncomingResponse {
        let (response, request) = try await send(
            within: bounds.declaring(provider.origins(onlyIn: call.declared)), provedBy: dpopKey,
            accessToken: tokens.accessToken
        ) {
            try ResourceRequest.make(
                call.url, method: call.method, headers: call.headers, body: call.body, tokens: tokens, at: provider,
                declared: call.declared, hiding: call.secretHeaders, stream: call.stream)
        }
        try ResourceRequest.validate(
            response, to: request, errors: provider.api.errors, accepting: call.statuses)
        return response
    }
}

extension HTTPRequest {
    /// The request for a resource, whether its scopes were granted or not.
    ///
    /// - Throws: `OAuthError` of kind `badHeader`.
    package init(for resource: Resource, method: Method? = nil) throws(OAuthError) {
        self.init(
            url: resource.url, method: method ?? Method(resource.method.rawValue) ?? .get,
            headerFields: try httpFields(resource.headers.map { ($0.name, $0.value) }, step: .resource))
    }

    /// A request to an absolute URL, without a check: sending a request with an invalid URL fails.
    public init(url: String, method: Method = .get, headerFields: HTTPFields = [:]) {
        let parts = url.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        let rest = parts.count == 2 ? Substring(parts[1]) : ""
        let afterSlashes = rest.hasPrefix("//") ? rest.utf8.dropFirst(2) : Substring().utf8
        let authority = afterSlashes.prefix { !"/?".utf8.contains($0) }
        let target = afterSlashes[authority.endIndex...].prefix { $0 != UInt8(ascii: "#") }
        self.init(
            method: method, scheme: parts.first.map { String(Substring($0)) }, authority: String(Substring(authority)),
            path: (target.first == UInt8(ascii: "/") ? "" : "/") + String(Substring(target)), headerFields: headerFields
        )
    }
}
