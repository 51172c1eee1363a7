import CarnetDescriptors
import CarnetFoundation
import CarnetLint

/// Requests that are those of several paths.
///
/// Of the paths of one server, OpenAPI lets those without parameters decide first (3.2, section 4.8.1). A map lets the most
/// specific path of all servers decide. Where another path could decide, the request needs what all of the paths need.
struct OpenAPIOverlaps {
    private struct Node {
        var literals: [String: Int] = [:]
        var parameter: Int?
        var shape: Int?
    }

    /// A path of the map, with the positions of its resources by their methods.
    private struct Shape {
        let path: OpenAPIPath
        var positions: [String: Int] = [:]
    }

    /// The resources, with what the paths need together, and those for requests of which no path is the most specific.
    private(set) var resources: [OpenAPIImport.Resource]
    /// The resources as the description has them.
    private let said: [OpenAPIImport.Resource]
    private let findings: ImportFindings
    private var nodes: [Node] = []
    private var roots: [String: Int] = [:]
    private var shapes: [Shape] = []
    private var work = 0

    private static let mostWork = 5_000_000
    /// In work, so that their number is limited, too.
    private static let costOfResource = 500

    /// - Throws: `WritingError` if there are too many.
    init(_ resources: [OpenAPIImport.Resource], of document: OpenAPIDocument) throws {
        (self.resources, said, findings) = (resources, resources, document.findings)
        for position in resources.indices { insert(position) }
        do throws(TooMany) {
            for position in said.indices where !said[position].need.isClosed { try restrict(position) }
            // The paths that this adds can be those of the same requests as others.
            var index = 0
            while index < shapes.count {
                for other in try find(shapes[index].path, isWithin: false) where other < index {
                    try separate(index, other)
                }
                index += 1
            }
        } catch {
            throw WritingError(
                "too many paths of \(document.file.path) stand for the same requests to make a map",
                next: ["split the description"])
        }
    }

    private struct TooMany: Error {}

    private mutating func restrict(_ position: Int) throws(TooMany) {
        let need = said[position].need
        for other in try deciding(said[position].path, said[position].methods[0]) where other != position {
            resources[position].need = resources[position].need.and(said[other].need)
            guard !resources[position].need.isSame(as: need) else { continue }
            findings.warn(
                said[position].place,
                "a request can also be one of \(said[other].path.url): the map requires what both need")
        }
    }

    /// Adds resources for the requests of two paths of which neither is more specific.
    private mutating func separate(_ one: Int, _ other: Int) throws(TooMany) {
        let path = shapes[one].path.crossing(shapes[other].path)
        guard !isSame(one, other), let winner = try find(path, isWithin: true).first,
            shapes[winner].path.shape != path.shape
        else { return }
        var added: [OpenAPIImport.Resource] = []
        var isAnyStricter = false
        for (method, position) in shapes[winner].positions.sorted(by: { $0.value < $1.value }) {
            let known = resources[position]
            let deciding = try deciding(path, method)
            let resource = OpenAPIImport.Resource(
                title: path.url.oneLine(limit: 80) ?? method, path: path, methods: [method], hosts: [],
                need: deciding.reduce(.anyone) { $0.and(said[$1].need) }, place: known.place)
            added.append(resource)
            guard !resource.need.isSame(as: known.need) else { continue }
            isAnyStricter = true
            if let also = deciding.first(where: { said[$0].path.shape != shapes[winner].path.shape }) {
                findings.warn(
                    resource.place,
                    "\(path.url) is also a request of \(said[also].path.url): the map requires what both need")
            }
        }
        guard isAnyStricter else { return }
        for resource in added {
            try count(Self.costOfResource)
            resources.append(resource)
            insert(resources.count - 1)
        }
    }

    /// Whether the same tokens open both paths.
    private func isSame(_ one: Int, _ other: Int) -> Bool {
        let (one, other) = (shapes[one].positions, shapes[other].positions)
        return one.count == other.count
            && one.allSatisfy { method, position in
                other[method].map { resources[$0].need.isSame(as: resources[position].need) } ?? false
            }
    }

    /// The resources of the description that a request of a path may be for.
    private mutating func deciding(_ path: OpenAPIPath, _ method: String) throws(TooMany) -> [Int] {
        let around = try find(path, isWithin: true).compactMap { shapes[$0].positions[method] }
            .filter { $0 < said.count }
        try count(around.count * around.count)
        return around.filter { position in
            !around.contains { $0 != position && precedes(said[$0], said[position]) }
        }
    }

    /// Whether OpenAPI lets a resource decide before another one about the requests of both.
    private func precedes(_ one: OpenAPIImport.Resource, _ other: OpenAPIImport.Resource) -> Bool {
        other.path.contains(one.path) && other.hosts.isSubset(of: one.hosts)
            && other.parts.allSatisfy { !OpenAPIPath.isParameter(one.path.segments[$0]) }
    }

    // MARK: The tree

    private mutating func count(_ steps: Int) throws(TooMany) {
        work += steps
        guard work <= Self.mostWork else { throw TooMany() }
    }

    private mutating func insert(_ position: Int) {
        let path = resources[position].path
        var node = roots[path.host ?? ""] ?? newNode()
        roots[path.host ?? ""] = node
        for segment in path.segments {
            let isParameter = OpenAPIPath.isParameter(segment)
            let next = (isParameter ? nodes[node].parameter : nodes[node].literals[segment]) ?? newNode()
            if isParameter { nodes[node].parameter = next } else { nodes[node].literals[segment] = next }
            node = next
        }
        let shape = nodes[node].shape ?? shapes.count
        if shape == shapes.count { shapes.append(Shape(path: path)) }
        nodes[node].shape = shape
        for method in resources[position].methods { shapes[shape].positions[method] = position }
    }

    private mutating func newNode() -> Int {
        nodes.append(Node())
        return nodes.count - 1
    }

    /// The paths with requests of a path; the one that decides about it comes first.
    ///
    /// - Parameter isWithin: Only those with all its requests.
    private mutating func find(_ path: OpenAPIPath, isWithin: Bool) throws(TooMany) -> [Int] {
        var found = roots[path.host ?? ""].map { [$0] } ?? []
        for segment in path.segments {
            var next: [Int] = []
            for node in found {
                if !OpenAPIPath.isParameter(segment) {
                    if let literal = nodes[node].literals[segment] { next.append(literal) }
                } else if !isWithin {
                    next += nodes[node].literals.values.sorted()
                }
                if let parameter = nodes[node].parameter { next.append(parameter) }
            }
            try count(found.count + next.count)
            found = next
        }
        return found.compactMap { nodes[$0].shape }
    }
}
