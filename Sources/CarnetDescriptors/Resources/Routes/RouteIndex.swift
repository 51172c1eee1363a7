import CarnetFoundation

/// Hosts and paths with the positions of what decides about them. The most specific path decides, in any order.
package struct RouteIndex: Sendable {
    /// What a path has at one place of the index.
    package enum Found {
        case nothing
        /// The path differs only in its case from one of the index.
        case ambiguous
        /// The positions by their methods.
        case methods([String: Int])
    }

    /// No request has it as method: stands for every method that a path does not name.
    package static let anyMethod = ""

    private var trees: [ByteKey: RouteTree] = [:]
    private var anyHost = RouteTree()

    package init() {}

    package var hasHosts: Bool { !trees.isEmpty }

    func has(host: String) -> Bool { trees[ByteKey(host)] != nil }

    /// - Returns: The position of an earlier route with the same host and path for one of the methods; it stays.
    package mutating func insert(_ pattern: RoutePattern, _ methods: [String], _ position: Int) -> Int? {
        guard let host = pattern.host else { return anyHost.insert(pattern.segments, methods, position) }
        return trees[ByteKey(host), default: RouteTree()].insert(pattern.segments, methods, position)
    }

    /// - Parameter hosts: The names that the host of the request has in patterns, the most specific first. Patterns without a
    ///   host come last.
    package func find(hosts: [String], _ segments: [ArraySlice<UInt8>]) -> Found {
        for host in hosts { if let found = trees[ByteKey(host)]?.find(segments[...]) { return found } }
        return anyHost.find(segments[...]) ?? .nothing
    }

    /// The positions of the routes that decide about a path or about one below it.
    ///
    /// - Parameter method: Where a path has no route for the method, all of its routes count; `nil` for every method.
    package func below(hosts: [String], _ segments: [ArraySlice<UInt8>], method: String?) -> Set<Int> {
        var found: [[String: Int]] = []
        for tree in hosts.compactMap({ trees[ByteKey($0)] }) + [anyHost] {
            // Less specific hosts decide about nothing if this one has a route for every path.
            guard !tree.collect(segments, into: &found) else { break }
        }
        // No route has this segment, so the route for the rest of a path decides, which may be one above.
        let other = Array(repeating: [UInt8(0)][...], count: RequestPath.mostSegments)
        if case .methods(let routes) = find(hosts: hosts, segments + other) { found.append(routes) }
        return Set(
            found.flatMap { routes in
                method.flatMap { Self.position(of: $0, in: routes) }.map { [$0] } ?? Array(routes.values)
            })
    }

    /// The position for a method: `HEAD` is `GET` without a body (RFC 9110, section 9.3.2).
    package static func position(of method: String, in routes: [String: Int]) -> Int? {
        routes[method] ?? (method == "HEAD" ? routes["GET"] : nil) ?? routes[anyMethod]
    }
}

/// The paths of one host, segment by segment.
struct RouteTree: Sendable {
    private struct Literal {
        let bytes: [UInt8]
        let node: Int
    }

    private struct Node {
        /// The nodes below, by their segment without its case.
        var literals: [String: [Literal]] = [:]
        var parameter: Int?
        var own: [String: Int] = [:]
        /// The routes for the path itself and all below it.
        var rest: [String: Int] = [:]
    }

    private var nodes = [Node()]

    mutating func insert(_ segments: [RoutePattern.Segment], _ methods: [String], _ position: Int) -> Int? {
        var node = 0
        for segment in segments {
            switch segment {
            case .literal(let bytes): node = child(of: node, bytes)
            case .parameter:
                let known = nodes[node].parameter
                if known == nil { nodes.append(Node()) }
                nodes[node].parameter = known ?? nodes.count - 1
                node = known ?? nodes.count - 1
            case .rest: continue
            }
        }
        let place: WritableKeyPath<Node, [String: Int]> = segments.last == .rest ? \.rest : \.own
        var earlier: Int?
        for method in methods {
            if let known = nodes[node][keyPath: place][method] {
                earlier = earlier ?? known
            } else {
                nodes[node][keyPath: place][method] = position
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

    /// A literal segment counts more than a parameter, and a parameter more than the rest of a path. A node is looked at
    /// once at most, because only one path leads to it.
    func find(_ segments: ArraySlice<ArraySlice<UInt8>>, in index: Int = 0) -> RouteIndex.Found? {
        Work.count()
        let rest = nodes[index].rest.isEmpty ? nil : RouteIndex.Found.methods(nodes[index].rest)
        guard let segment = segments.first else {
            return nodes[index].own.isEmpty ? rest : .methods(nodes[index].own)
        }
        if !nodes[index].literals.isEmpty, let literals = nodes[index].literals[Self.key(segment)] {
            // A router that ignores case would take it for this resource.
            guard let literal = literals.first(where: { segment.elementsEqual($0.bytes) }) else { return .ambiguous }
            if let found = find(segments.dropFirst(), in: literal.node) { return found }
        }
        return nodes[index].parameter.flatMap { find(segments.dropFirst(), in: $0) } ?? rest
    }

    /// - Returns: Whether the tree has a route for every path at and below the segments.
    func collect(_ segments: [ArraySlice<UInt8>], into found: inout [[String: Int]]) -> Bool {
        var isWhole = false
        var level = [0]
        for segment in segments {
            isWhole = isWhole || level.contains { !nodes[$0].rest.isEmpty }
            level = level.flatMap { index in
                (nodes[index].literals[Self.key(segment)] ?? []).map(\.node)
                    + [nodes[index].parameter].compactMap { $0 }
            }
        }
        isWhole = isWhole || level.contains { !nodes[$0].rest.isEmpty }
        while let index = level.popLast() {
            Work.count()
            found += [nodes[index].own, nodes[index].rest]
            level += nodes[index].literals.values.joined().map(\.node) + [nodes[index].parameter].compactMap { $0 }
        }
        return isWhole
    }

    /// The segment, decoded and without its case. `String` compares by canonical equivalence, as some file systems do.
    private static func key(_ bytes: ArraySlice<UInt8>) -> String {
        guard !bytes.contains(UInt8(ascii: "%")) else {
            return folded(String(decoding: RequestPath.decoded(bytes), as: UTF8.self))
        }
        return String(unsafeUninitializedCapacity: bytes.count) { buffer in
            for (place, byte) in bytes.enumerated() {
                buffer[place] = (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
            }
            return bytes.count
        }
    }

    /// Letters that are one to any program that ignores case: by the mappings of Unicode, there and back, so that ſ is s and
    /// the Kelvin sign is k. The dotless ı is i by its capital letter, and the dotted İ without its dot.
    private static func folded(_ text: String) -> String {
        var folded = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.flatMap(\.properties.lowercaseMapping.unicodeScalars)
            .flatMap(\.properties.uppercaseMapping.unicodeScalars)
            .flatMap(\.properties.lowercaseMapping.unicodeScalars)
        where scalar != "\u{307}" || folded.last != "i" {
            folded.append(scalar)
        }
        return String(folded)
    }
}
