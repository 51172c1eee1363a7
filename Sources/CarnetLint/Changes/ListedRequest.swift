import CarnetDescriptors
import CarnetFoundation

/// A request of a list, by which it is known again in another version: such requests have no names, and their places change
/// when one is added before them.
struct ListedRequest {
    let url: String
    /// The claims that it brings; none for a request of a connection.
    let claims: [String]

    /// The paths of such lists.
    static let lists = [["profile", "requests"], ["connection", "on_connect"], ["connection", "on_disconnect"]]
}

extension [ListedRequest] {
    /// For each request the place of the earlier one that it continues, if there is one: with the same URL, else with one of
    /// its claims. Requests without claims continue each other in their order.
    func predecessors(in old: [ListedRequest]) -> [Int?] {
        var found: [Int?] = map { _ in nil }
        var used = Set<Int>()
        func pair(by keys: (ListedRequest) -> [String]) {
            var open: [ByteKey: [Int]] = [:]
            for index in old.indices.reversed() where !used.contains(index) {
                for key in keys(old[index]) { open[ByteKey(key), default: []].append(index) }
            }
            for index in indices {
                for key in keys(self[index]) {
                    while found[index] == nil, let next = open[ByteKey(key)]?.popLast() {
                        if used.insert(next).inserted { found[index] = next }
                    }
                }
            }
        }
        pair { [([$0.url] + $0.claims).joined(separator: "\n")] }
        pair { [$0.url] }
        pair { $0.claims }
        pair { $0.claims.isEmpty ? [""] : [] }
        return found
    }
}

extension ResolvedVersion {
    private func list(at path: [String]) -> [ListedRequest] {
        let connection = provider.connection
        return switch path.last {
        case "on_connect": connection.onConnect.map { ListedRequest(url: url($0.url), claims: []) }
        case "on_disconnect": connection.onDisconnect.map { ListedRequest(url: url($0.url), claims: []) }
        default:
            provider.profile.requests.map { ListedRequest(url: url($0.lateURL), claims: $0.claims.map(\.name)) }
        }
    }

    /// The keys of URLs that get access tokens, with the places that their requests have in a later version. A new request
    /// that brings a claim in place of another one continues that one, too.
    func resourceKeys(asIn new: ResolvedVersion) -> [(key: [String], places: Set<String>)] {
        var places: [[String]: [[String]]] = [:]
        for path in ListedRequest.lists {
            let (was, now) = (list(at: path), new.list(at: path))
            var owners: [ByteKey: Int] = [:]
            for (index, request) in was.enumerated() {
                for claim in request.claims { owners[ByteKey(claim)] = owners[ByteKey(claim)] ?? index }
            }
            let predecessors = now.predecessors(in: was)
            for (request, own) in zip(now, predecessors) {
                for claim in request.claims where owners[ByteKey(claim)] == own { owners[ByteKey(claim)] = nil }
            }
            for (index, own) in predecessors.enumerated() {
                for before in own.map({ [$0] }) ?? Set(now[index].claims.compactMap { owners[ByteKey($0)] }).sorted() {
                    places[path + ["\(before)", "url"], default: []].append(path + ["\(index)", "url"])
                }
            }
        }
        return provider.resourceKeys.flatMap { key, servers in
            guard ListedRequest.lists.contains(Array(key.prefix(2))) else { return [(key, servers)] }
            return places[key, default: []].map { ($0, servers) }
        }
    }
}

extension JSONValue {
    /// The differences of two lists of requests: of each request that is in both, and of the whole list if it is shorter.
    func differences(ofRequestsTo other: JSONValue, at path: [String]) -> [Difference] {
        let (was, now) = (self.array ?? [], other.array ?? [])
        func requests(_ values: [JSONValue]) -> [ListedRequest] {
            values.map { value in
                ListedRequest(
                    url: value["url"]?.string ?? "", claims: value["claims"]?.object?.members.map(\.name) ?? [])
            }
        }
        let found = zip(now.indices, requests(now).predecessors(in: requests(was))).flatMap { index, before in
            before.map { was[$0].differences(to: now[index], at: path + ["\(index)"]) } ?? []
        }
        return found + (was.count > now.count ? [Difference(path: path, was: self, now: other)] : [])
    }
}
