import CarnetFoundation

/// Finds the resource of a map that decides about a request: the one whose path is most specific, in any order. See
/// `Docs/decisions/request-paths.md`.
package struct RouteTable: Sendable {
    package private(set) var routes: [Route] = []
    private var index = RouteIndex()

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

    /// - Returns: Also the resources that the table has not, because they cannot decide.
    package static func reading(_ entries: [ResourceEntry]) -> (table: RouteTable, problems: [Problem]) {
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
                let earlier = table.index.insert(pattern, entry.methods.all.map(\.rawValue), position)
                if let earlier, !table.routes[earlier].decides(like: route) {
                    problems.append(Problem(index: index, kind: .contradicts(table.routes[earlier].index)))
                }
            } catch {
                problems.append(Problem(index: index, kind: .neverMatches(error.reason, isClients: error.isClients)))
            }
        }
        return (table, problems)
    }

    /// - Parameters:
    ///   - authority: Host and port of the request.
    ///   - target: The path with the query.
    package func match(method: String, authority: String?, target: String) -> Match {
        do throws(RequestPathProblem) {
            let segments = try RequestPath(target).segments
            let hosts = index.hasHosts ? authority.map { [RoutePattern.authority($0)] } ?? [] : []
            return match(method, index.find(hosts: hosts, segments))
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
