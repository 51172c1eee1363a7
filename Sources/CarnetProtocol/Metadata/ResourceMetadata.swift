import CarnetDescriptors
package import CarnetFoundation
import HTTPTypes

/// The metadata of a protected resource (RFC 9728, section 2).
package struct ResourceMetadata: Sendable {
    /// The resource, byte for byte as it was asked for.
    package let resource: WebURL
    /// Its authorization servers. Without one, it is its own, as without a document.
    package let issuers: [String]
    /// The scopes of requests to the resource, as far as it names them.
    package let scopes: [String]

    /// Where a document may be.
    package struct Location: Sendable {
        package let url: WebURL
        /// The identifiers of which the document must have one. At the root of a host, it describes the whole host.
        let identifiers: [String]
    }
}

extension ResourceMetadata {
    private static let key = "resource"
    /// How many authorization servers and scopes a document may name.
    private static let longestList = 100

    private static let wellKnown = "/.well-known/oauth-protected-resource"

    /// Where the metadata of a resource is on its host: the well-known part stands between the host and the path of the
    /// resource (RFC 9728, section 3.1).
    package static func path(of resource: WebURL) -> String {
        wellKnown + (resource.path == "/" ? "" : resource.path) + (resource.query.map { "?\($0)" } ?? "")
    }

    /// The places of the metadata, in the order to try: the one that the resource itself named, then the well-known ones
    /// with the path of the resource and without it (RFC 9728, sections 3.1 and 5.1).
    ///
    /// - Parameter place: Where the resource redirects to, if it does: its URL with a slash at the end, or without it.
    /// - Throws: `OAuthError` at step `discovery`.
    package static func locations(
        of resource: WebURL, at place: WebURL? = nil, named: ResourceChallenge? = nil
    ) throws(OAuthError) -> [Location] {
        let root = "\(resource.scheme)://\(resource.authority)"
        let wellKnown = root + Self.wellKnown
        let spellings = [resource] + (place.map { $0 == resource ? [] : [$0] } ?? [])
        let names = spellings.map(\.text)
        let own = spellings.map { root + Self.path(of: $0) }
        do throws(WebURLError) {
            var locations: [Location] = []
            for place in own { locations.append(Location(url: try WebURL(place), identifiers: names)) }
            if own[0] != wellKnown {
                // The identifier that the well-known path was inserted into.
                locations.append(Location(url: try WebURL(wellKnown), identifiers: names + resource.namesOfHost))
            }
            if let url = named?.metadata {
                let known = locations.first { $0.url == url }
                locations.insert(known ?? Location(url: url, identifiers: names), at: 0)
            }
            return locations
        } catch {
            throw OAuthError(.discovery, .badDescriptor, "the resource is invalid: \(error.reason)", descriptorKey: key)
        }
    }

    /// A request for the resource or its metadata, without any credential.
    package static func request(_ url: WebURL) throws(OAuthError) -> PreparedRequest {
        try PreparedRequest.make(RequestParameters(.discovery, section: key), to: url, key: key, rules: .plainGET)
    }

    /// The first request of a client of the Model Context Protocol, without any credential.
    package static func initialization(of resource: WebURL) throws(OAuthError) -> PreparedRequest {
        let body = """
            {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},\
            "clientInfo":{"name":"Carnet","version":"0"}}}
            """
        return try .make(
            .discovery, key: key, .post, resource, path: resource.target,
            headers: [
                ("Accept", "application/json, text/event-stream", nil), ("Content-Type", "application/json", nil),
                ("User-Agent", "Carnet", nil),
            ], body: Array(body.utf8), shownURL: resource.text, shownBody: body, secrets: [])
    }

    /// Validates a document. It must be that of the resource, byte for byte: otherwise any server could ask for tokens of
    /// another one (RFC 9728, section 3.3).
    ///
    /// - Throws: `OAuthError` at step `discovery`; of kind `resourceMismatch` for the metadata of another resource.
    package init(validating response: IncomingResponse, at location: Location, of resource: WebURL) throws(OAuthError) {
        let key = Self.key
        try response.requireSuccess(.discovery, key: key, hiding: [])
        let body = try response.json(.discovery, key: key, isLenient: response.mediaType != "text/html")
        guard let named = body["resource"]?.string else {
            throw Self.wrong(.missingField, "the metadata at \(location.url.text.quotable()) names no resource")
        }
        guard location.identifiers.containsBytes(of: named), let own = try? WebURL(named) else {
            throw Self.wrong(
                .resourceMismatch,
                "the metadata at \(location.url.text.quotable()) is that of \"\(named.quotable())\" instead of \(resource.text)"
            )
        }
        self.resource = own
        let servers = try Self.texts("authorization_servers", of: body)
        for issuer in servers { try resource.checkFound(issuer, as: "authorization server") }
        // The origin with a slash is the origin.
        var seen = Set<ByteKey>()
        issuers = servers.filter { issuer in
            let isOrigin = issuer.hasSuffix("/") && issuer.utf8.count { $0 == UInt8(ascii: "/") } == 3
            return seen.insert(ByteKey(isOrigin ? String(issuer.dropLast()) : issuer)).inserted
        }
        // The member only informs. Nobody can agree to as many scopes as a long list has, so then it says nothing.
        let member = body["scopes_supported"]
        let joined = ScopeRules.split(member?.string ?? "", separator: " ")
        let supported = member?.array?.compactMap(\.string) ?? joined
        scopes = supported.count > Self.longestList ? [] : supported.filter(Self.isScope)
    }

    /// The one authorization server, or the one at a host that was chosen.
    ///
    /// - Throws: `OAuthError` at step `discovery` if there are several: to choose one is up to the host.
    package func issuer(at hosts: [String]) throws(OAuthError) -> String {
        let chosen = issuers.filter { issuer in (try? WebURL(issuer)).map { hosts.containsBytes(of: $0.host) } ?? false
        }
        guard let issuer = issuers.count == 1 ? issuers[0] : chosen.count == 1 ? chosen[0] : nil else {
            let shown = issuers.prefix(3).map { $0.quotable(limit: 100) }.joined(separator: ", ")
            throw Self.wrong(.unsupported, "the resource has \(issuers.count) authorization servers: \(shown)")
        }
        return issuer
    }

    /// Scopes that a resource names.
    ///
    /// - Throws: `OAuthError` at step `discovery` for what is no scope (RFC 6749, section 3.3), or is too long.
    fileprivate static func checked(_ scopes: [String]) throws(OAuthError) -> [String] {
        guard scopes.count <= longestList else { throw wrong(.wrongFieldType, "the resource names too many scopes") }
        for scope in scopes where !isScope(scope) {
            throw wrong(.wrongFieldType, "the resource names \"\(scope.quotable(limit: 60))\", which is no scope")
        }
        return scopes
    }

    private static func isScope(_ scope: String) -> Bool {
        ScopeRules.isToken(scope) && scope.utf8.count <= ReceivedLimit.resourceScope
    }

    private static func texts(_ name: String, of body: JSONValue) throws(OAuthError) -> [String] {
        guard let member = body[name], !member.isNull else { return [] }
        guard let list = member.array, list.count <= longestList else {
            throw wrong(.wrongFieldType, "the metadata's \(name) is not a list of at most \(longestList) strings")
        }
        guard let texts = member.listOfStrings else {
            throw wrong(.wrongFieldType, "the metadata's \(name) is not a list of strings")
        }
        return texts
    }

    fileprivate static func wrong(_ kind: OAuthError.Kind, _ message: String) -> OAuthError {
        OAuthError(.discovery, kind, message, descriptorKey: key)
    }
}

/// What a resource says to a client without a token (RFC 9728, section 5.1; RFC 6750, section 3).
package struct ResourceChallenge: Sendable {
    /// Where its metadata is.
    package let metadata: WebURL?
    /// The scopes of the request.
    package let scopes: [String]

    /// - Parameter resource: The resource that responded.
    /// - Returns: `nil` unless the status is 401.
    /// - Throws: `OAuthError` at step `discovery` for a URL or scopes that cannot be used.
    package init?(_ response: IncomingResponse, of resource: WebURL) throws(OAuthError) {
        guard response.status == 401 else { return nil }
        let challenge = BearerChallenge(response)
        metadata = try challenge["resource_metadata"].map { text throws(OAuthError) in
            // Some servers write quotation marks of another kind.
            let isQuoted = text.utf8.count > 2 && text.hasPrefix("'") && text.hasSuffix("'")
            return try resource.checkFound(
                isQuoted ? String(text.dropFirst().dropLast()) : text, as: "URL of the metadata")
        }
        scopes = try ResourceMetadata.checked(ScopeRules.split(challenge["scope"] ?? "", separator: " "))
    }
}

extension WebURL {
    /// Checks a URL that a resource names. It cannot give up the TLS of the resource.
    ///
    /// - Throws: `OAuthError` at step `discovery`.
    @discardableResult
    fileprivate func checkFound(_ text: String, as what: String) throws(OAuthError) -> WebURL {
        do throws(WebURLError) {
            // Some servers name a path of their own.
            let isOwn = text.hasPrefix("/") && !text.hasPrefix("//")
            let url = try WebURL(isOwn ? "\(scheme)://\(authority)\(text)" : text)
            guard scheme == "http" || url.scheme == "https" else {
                throw WebURLError(reason: "http is not allowed for a resource with https")
            }
            guard url.text.utf8.count <= ReceivedLimit.issuer else { throw WebURLError(reason: "it is too long") }
            return url
        } catch {
            throw ResourceMetadata.wrong(
                .badDescriptor,
                "the \(what) that the resource names is invalid: \(error.reason.quotable()): \"\(text.quotable())\"")
        }
    }
}
