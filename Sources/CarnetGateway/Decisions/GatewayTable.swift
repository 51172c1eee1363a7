import CarnetDescriptors
import CarnetFoundation

/// Finds the route that decides about a request: the one with the most specific host, then the one with the most specific
/// path, in any order of the file. See `Docs/decisions/gateway.md`.
struct GatewayTable: Sendable {
    enum Match {
        case found(GatewayRoute)
        /// No route, and not the gateway's origin, has the host.
        case unknownHost
        case none
        case ambiguous
        case methods([String])
        case malformed(RequestPathProblem)
    }

    private let routes: [GatewayRoute]
    private var index = RouteIndex()
    private var hosts: Set<ByteKey> = []
    /// The parts of `*.` hosts behind the star.
    private var domains: Set<ByteKey> = []
    /// The routes by their hosts; those without a host have the key of no host.
    private var positions: [ByteKey: [Int]] = [:]
    private static let anyHost = ByteKey("")

    /// - Parameter repeated: Called for each pair of routes that decide about the same requests.
    init(
        _ rules: GatewayRules, repeated: (_ later: GatewayRoute, _ earlier: GatewayRoute) -> Void = { _, _ in }
    ) {
        routes = rules.routes
        hosts.insert(ByteKey(HostName(rules.origin.host).text))
        for (position, route) in routes.enumerated() {
            for host in route.hosts {
                if host.hasPrefix("*.") {
                    domains.insert(ByteKey(String(host.dropFirst(2))))
                } else {
                    hosts.insert(ByteKey(host))
                }
            }
            for host in route.hosts.isEmpty ? [nil] : route.hosts.map(Optional.some) {
                positions[host.map { ByteKey($0) } ?? Self.anyHost, default: []].append(position)
                guard let pattern = try? RoutePattern(path: route.path, host: host) else { continue }
                let methods = route.methods ?? [RouteIndex.anyMethod]
                if let earlier = index.insert(pattern, methods, position) { repeated(route, routes[earlier]) }
            }
        }
    }

    func knows(host: String) -> Bool { hosts.contains(ByteKey(host)) || !domains(of: host).isEmpty }

    /// The `*.` hosts that a host is below, the longest first.
    private func domains(of host: String) -> [String] {
        guard !domains.isEmpty else { return [] }
        var found: [String] = []
        var rest = host.utf8[...]
        while let dot = rest.firstIndex(of: UInt8(ascii: ".")) {
            rest = rest[rest.index(after: dot)...]
            let domain = String(decoding: rest, as: UTF8.self)
            if domains.contains(ByteKey(domain)) { found.append("*." + domain) }
        }
        return found
    }

    func find(_ request: ForwardedRequest) -> Match {
        let patterns = domains(of: request.host)
        guard hosts.contains(ByteKey(request.host)) || !patterns.isEmpty else { return .unknownHost }
        let names = [request.host] + patterns
        do throws(RequestPathProblem) {
            let segments = try RequestPath(request.target).segments
            switch index.find(hosts: names, segments) {
            case .nothing: return .none
            case .ambiguous: return .ambiguous
            case .methods(let positions):
                let position = RouteIndex.position(of: request.method, in: positions)
                return position.map { .found(routes[$0]) } ?? .methods(positions.keys.sorted())
            }
        } catch {
            if request.target.utf8.first == UInt8(ascii: "/"), let route = onlyRoute(of: names) { return .found(route) }
            return .malformed(error)
        }
    }

    /// The routes that decide about a path of a host and all below it, in the order of the file; `nil` if one of these paths has
    /// routes, but none for the method, so that nobody may send it there.
    ///
    /// - Parameters:
    ///   - target: All paths of the host if it is `nil` or malformed.
    ///   - method: `nil` for one that a program may take for any other.
    func routes(below target: String?, of host: String, method: String?) -> [GatewayRoute]? {
        let segments = target.flatMap { try? RequestPath($0).segments } ?? []
        let names = [host] + domains(of: host)
        func found(_ method: String?) -> [GatewayRoute] {
            index.below(hosts: names, segments, method: method).sorted().map { routes[$0] }
        }
        // Of a path without a route for the method, the index has those for other methods.
        let needed = method ?? RouteIndex.anyMethod
        let deciding = found(needed)
        guard deciding.allSatisfy({ $0.takes(needed) }) else { return nil }
        return method == nil ? found(nil) : deciding
    }

    /// The route that decides about every path and method of a host: no program behind can read
    /// its path as that of another route.
    private func onlyRoute(of names: [String]) -> GatewayRoute? {
        let keys = names.map { ByteKey($0) } + [Self.anyHost]
        guard let found = keys.lazy.compactMap({ positions[$0] }).first, found.count == 1 else { return nil }
        let route = routes[found[0]]
        return route.path == "/**" && route.methods == nil ? route : nil
    }
}
