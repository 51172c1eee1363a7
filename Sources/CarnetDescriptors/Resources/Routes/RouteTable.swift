import CarnetFoundation

/// Finds the resource of a map that decides about a request: the one whose path is most specific, in any order. See
/// `Docs/decisions/request-paths.md`.
package struct RouteTable: Sendable {
    package private(set) var routes: [Route] = []
    private var trees: [ByteKey: RouteTree] = [:]
    private var anyHost = RouteTree()

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
                let earlier = table.insert(pattern, entry.methods.all, position)
                if let earlier, !table.routes[earlier].decides(like: route) {
                    problems.append(Problem(index: index, kind: .contradicts(table.routes[earlier].index)))
                }
            } catch {
                problems.append(Problem(index: index, kind: .neverMatches(error.reason, isClients: error.isClients)))
            }
        }
        return (table, problems)
    }

    /// - Returns: The position of an earlier route for one of the methods.
    private mutating func insert(_ pattern: RoutePattern, _ methods: [ResourceMethod], _ position: Int) -> Int? {
        guard let host = pattern.host else { return anyHost.insert(pattern.segments, methods, position) }
        return trees[ByteKey(host), default: RouteTree()].insert(pattern.segments, methods, position)
    }

    /// - Parameters:
    ///   - authority: Host and port of the request.
    ///   - target: The path with the query.
    package func match(method: String, authority: String?, target: String) -> Match {
        do throws(RequestPathProblem) {
            let segments = try RequestPath(target).segments
            if !trees.isEmpty, let authority, let tree = trees[ByteKey(RoutePattern.authority(authority))] {
                let match = match(method, tree.find(segments))
                if case .none = match {} else { return match }
            }
            return match(method, anyHost.find(segments))
        } catch {
            return .malformed(error)
        }
    }

    private func match(_ method: String, _ found: RouteTree.Found) -> Match {
        switch found {
        case .nothing: return .none
        case .ambiguous: return .ambiguous
        case .methods(let positions):
            // HEAD is GET without a body (RFC 9110, section 9.3.2).
            let name = method == "HEAD" ? "GET" : method
            guard let method = ResourceMethod(rawValue: name), let position = positions[method] else {
                return .methods(positions.keys.sorted { $0.rawValue < $1.rawValue })
            }
            return .found(routes[position])
        }
    }
}

/// The paths of one host, segment by segment.
struct RouteTree: Sendable {
    private struct Literal {
        let bytes: [UInt8]
        let node: Int
    }

    private struct Node {
        /// The nodes below, by their segment in lower case.
        var literals: [ByteKey: [Literal]] = [:]
        var parameter: Int?
        var own: [ResourceMethod: Int] = [:]
        /// The routes for the path itself and all below it.
        var rest: [ResourceMethod: Int] = [:]
    }

    enum Found {
        case nothing
        case ambiguous
        case methods([ResourceMethod: Int])
    }

    private var nodes = [Node()]

    mutating func insert(
        _ segments: [RoutePattern.Segment], _ methods: [ResourceMethod], _ position: Int
    ) -> Int? {
        var node = 0
        for segment in segments {
            switch segment {
            case .literal(let bytes): node = child(of: node, bytes)
            case .parameter:
                if let known = nodes[node].parameter {
                    node = known
                } else {
                    nodes.append(Node())
                    nodes[node].parameter = nodes.count - 1
                    node = nodes.count - 1
                }
            case .rest: continue
            }
        }
        let isRest = segments.last == .rest
        var earlier: Int?
        for method in methods {
            let known = isRest ? nodes[node].rest[method] : nodes[node].own[method]
            if let known {
                earlier = earlier ?? known
            } else if isRest {
                nodes[node].rest[method] = position
            } else {
                nodes[node].own[method] = position
            }
        }
        return earlier
    }

    private mutating func child(of node: Int, _ bytes: [UInt8]) -> Int {
        let key = Self.key(bytes[...])
        if let known = nodes[node].literals[key]?.first(where: { $0.bytes == bytes }) { return known.node }
        nodes.append(Node())
        nodes[node].literals[key, default: []].append(Literal(bytes: bytes, node: nodes.count - 1))
        return nodes.count - 1
    }

    func find(_ segments: [ArraySlice<UInt8>]) -> Found { find(segments[...], in: 0) }

    /// A literal segment counts more than a parameter, and a parameter more than the rest of a path. A node is looked at
    /// once at most, because only one path leads to it.
    private func find(_ segments: ArraySlice<ArraySlice<UInt8>>, in index: Int) -> Found {
        Work.count()
        guard let segment = segments.first else {
            if !nodes[index].own.isEmpty { return .methods(nodes[index].own) }
            return nodes[index].rest.isEmpty ? .nothing : .methods(nodes[index].rest)
        }
        if !nodes[index].literals.isEmpty, let literals = nodes[index].literals[Self.key(segment)] {
            // A router that ignores case would take it for this resource.
            guard let literal = literals.first(where: { segment.elementsEqual($0.bytes) }) else { return .ambiguous }
            let found = find(segments.dropFirst(), in: literal.node)
            if case .nothing = found {} else { return found }
        }
        if let parameter = nodes[index].parameter {
            let found = find(segments.dropFirst(), in: parameter)
            if case .nothing = found {} else { return found }
        }
        return nodes[index].rest.isEmpty ? .nothing : .methods(nodes[index].rest)
    }

    private static func key(_ bytes: ArraySlice<UInt8>) -> ByteKey {
        ByteKey(String(decoding: bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self))
    }
}
