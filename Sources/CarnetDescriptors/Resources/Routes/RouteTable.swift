import CarnetFoundation

/// Finds the resource of a map that decides about a request: the one whose path is most specific, in any order. See
/// `Docs/decisions/request-paths.md`.
package struct RouteTable: Sendable {
    package private(set) var routes: [Route] = []
    private var index = RouteIndex()
    /// Other hosts of the map, as `key(of:)` has them.
    private var hosts: Set<ByteKey> = []
    private var takesEveryHost = false
    /// The names of hosts that a URL names with a port: only there does the port count.
    private var namesWithPort: Set<ByteKey> = []

    /// What a request is.
    package enum Match: Sendable {
        case found(Route)
        /// No resource has the path.
        case none
        /// The resource with the path has other methods.
        case methods([ResourceMethod])
        /// The path differs from that of a resource only in its case.
        case ambiguous
        case malformed(RequestPathProblem)
        /// The host is invalid, or missing although the map has hosts.
        case badHost
        /// The map has hosts, and this one is not among them.
        case unknownHost
    }

    /// A resource that cannot decide.
    package struct Problem: Sendable {
        package enum Kind: Hashable, Sendable {
            /// No request can have its URL, for this reason; `isClients` if a client may nevertheless call it.
            case neverMatches(String, isClients: Bool)
            /// An earlier resource, at this position, is the same request and needs something else.
            case contradicts(Int)
            /// It is open to anyone, and needs something.
            case openWithNeeds
        }

        package let index: Int
        package let kind: Kind

        package var reason: String {
            switch kind {
            case .neverMatches(let reason, _): "no request can be this one: \(reason)"
            case .contradicts: "an earlier resource is the same request, and needs something else"
            case .openWithNeeds: "the resource is open to anyone, and needs a scope or claim"
            }
        }
    }

    /// The scopes of all resources, each once, in the order of the file.
    package var scopes: [String] {
        var seen: Set<String> = []
        return routes.flatMap { $0.requirement.allOf + $0.requirement.anyOf }.filter { seen.insert($0).inserted }
    }

    /// - Parameter hosts: Those of the map besides those of its URLs.
    /// - Returns: Also the resources that the table has not, because they cannot decide.
    package static func reading(
        _ entries: [ResourceEntry], hosts: MapHosts = MapHosts()
    ) -> (table: RouteTable, problems: [Problem]) {
        var table = RouteTable()
        var problems: [Problem] = []
        // A URL that is missing has a finding of its own.
        for (index, entry) in entries.enumerated() where !entry.url.source.isEmpty {
            let route = Route(entry, at: index)
            if route.anonymous != nil, !route.needsNothing {
                problems.append(Problem(index: index, kind: .openWithNeeds))
            }
            if entry.methods.all.isEmpty {
                problems.append(Problem(index: index, kind: .neverMatches("it has no method", isClients: false)))
            }
            do throws(RoutePatternProblem) {
                let pattern = try RoutePattern(entry.url.source)
                let position = table.routes.count
                table.routes.append(route)
                if let host = pattern.host.flatMap({ RequestHost($0) }), host.port != nil {
                    table.namesWithPort.insert(ByteKey(host.name))
                }
                let earlier = table.index.insert(pattern, entry.methods.all.map(\.rawValue), position)
                if let earlier, !table.routes[earlier].decides(like: route) {
                    problems.append(Problem(index: index, kind: .contradicts(table.routes[earlier].index)))
                }
            } catch {
                problems.append(Problem(index: index, kind: .neverMatches(error.reason, isClients: error.isClients)))
            }
        }
        table.takesEveryHost = hosts.isEvery
        table.hosts = Set(hosts.names.map { ByteKey(table.key(of: $0)) })
        return (table, problems)
    }

    /// The resources with a host that a resource without one covers for other hosts, although it needs less: the positions of
    /// both in the file. A map that lists its other hosts has said so.
    package static func covered(_ entries: [ResourceEntry], hosts: MapHosts) -> [(specific: Int, general: Int)] {
        guard hosts.names.isEmpty else { return [] }
        let table = reading(entries).table
        return table.routes.compactMap { route in
            let entry = entries[route.index]
            guard let pattern = try? RoutePattern(entry.url.source), pattern.host != nil else { return nil }
            // No literal has the byte of a parameter.
            let path: [ArraySlice<UInt8>] = pattern.segments.compactMap { segment in
                switch segment {
                case .literal(let bytes): bytes[...]
                case .parameter: [0]
                case .rest: nil
                }
            }
            guard case .methods(let positions) = table.index.find(hosts: [], path) else { return nil }
            let general = entry.methods.all.compactMap { positions[$0.rawValue] }.map { table.routes[$0] }
                .first { $0.needsLess(than: route) }
            return general.map { (route.index, $0.index) }
        }
    }

    /// The host as the table has it: the client chooses the port, so it counts only where a URL names one.
    private func key(of host: RequestHost) -> String {
        namesWithPort.contains(ByteKey(host.name)) ? host.text : RequestHost(host.name)?.text ?? host.text
    }

    /// - Parameters:
    ///   - authority: Host and port of the request.
    ///   - target: The path with the query.
    ///   - own: The host of the server itself, which the map need not name.
    package func match(method: String, authority: String?, target: String, own: String? = nil) -> Match {
        var names: [String] = []
        if let authority, RequestHost(authority) == nil { return .badHost }
        if index.hasHosts {
            guard let host = authority.flatMap({ RequestHost($0) }) else { return .badHost }
            let name = key(of: host)
            let isKnown =
                index.has(host: name) || hosts.contains(ByteKey(name))
                || takesEveryHost && !namesWithPort.contains(ByteKey(host.name))
                || own.flatMap { RequestHost($0) }.map { key(of: $0).isSameBytes(as: name) } ?? false
            guard isKnown else { return .unknownHost }
            names = [name]
        }
        do throws(RequestPathProblem) {
            let segments = try RequestPath(target).segments
            return match(method, index.find(hosts: names, segments))
        } catch {
            return .malformed(error)
        }
    }

    private func match(_ method: String, _ found: RouteIndex.Found) -> Match {
        switch found {
        case .nothing: return .none
        case .ambiguous: return .ambiguous
        case .methods(let positions):
            // HEAD is GET without a body (RFC 9110, section 9.3.2).
            let name = method == "HEAD" ? "GET" : method
            guard let position = positions[name] else {
                return .methods(positions.keys.sorted().compactMap(ResourceMethod.init))
            }
            return .found(routes[position])
        }
    }
}
