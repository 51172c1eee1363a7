package import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import CarnetProtocol

/// Turns an API's description into a resource map and the draft of a descriptor. Where a map cannot say what the
/// description says, it refuses more, and a finding says so.
package struct OpenAPIImport {
    package struct Options {
        /// The schemes whose tokens the map accepts; by default the first with an authorization server.
        var schemes: [String]
        /// Schemes that another program checks.
        var checkedElsewhere: [String]
        /// By default, made from the title.
        var id: String?

        package init(schemes: [String] = [], checkedElsewhere: [String] = [], id: String? = nil) {
            (self.schemes, self.checkedElsewhere, self.id) = (schemes, checkedElsewhere, id)
        }
    }

    struct Resource {
        var id: String?
        var title: String
        let path: OpenAPIPath
        let methods: [String]
        /// The hosts of its servers, with `nil` for one that is not known.
        var hosts: Set<ByteKey?>
        /// The positions of segments of which it stands only for some.
        var parts: Set<Int> = []
        var need: AccessNeed
        let place: SourceSpan
    }

    package let id: String
    private(set) var resources: [Resource] = []
    package var findings: ImportFindings { document.findings }
    private let operationCount: Int
    package private(set) var draft = ""
    package private(set) var map = ""

    let document: OpenAPIDocument
    private var requirements: OpenAPIRequirements
    /// The servers of the document. A map is for any host.
    private let servers: [ServerPlace]
    /// The servers of paths and operations, by the places of the lists.
    private let ownServers: [SourceSpan: [ServerPlace]]
    /// How much the map has at least.
    private var size = 0
    /// The position of a resource by method and shape.
    private var positions: [String: Int] = [:]
    private var shapes: Set<String> = []

    /// - Throws: `WritingError` if the file is no description, or an option names what it has not.
    package init(_ file: SourceFile, _ options: Options) throws {
        document = try OpenAPIDocument(file)
        let findings = document.findings
        let operations = try OpenAPIOperations(document)
        operationCount = operations.all.count
        requirements = try OpenAPIRequirements(
            document, operations, named: options.schemes, checkedElsewhere: options.checkedElsewhere)
        let title = document.root.entry("info")?.value.text("title")
        id = options.id ?? Self.id(from: title ?? "")
        guard DescriptorDraft(id: id, issuer: nil) != nil else {
            throw WritingError("\(id.quoted) is not an id: use lower-case letters, digits and hyphens, at most 64")
        }
        let listed = document.isSwagger ? nil : document.root.entry("servers")?.value
        let swagger = document.isSwagger ? ServerReader.readSwagger(document) : nil
        var servers = listed.map { ServerReader.read($0, findings) } ?? [swagger].compactMap(\.self)
        if servers.isEmpty, let root = ServerBase("") { servers = [root] }
        var own: [SourceSpan: [ServerBase]] = [:]
        for servers in operations.all.compactMap(\.servers) where own[servers.span] == nil {
            own[servers.span] = ServerReader.read(servers, findings)
        }
        // A relative one can have any host.
        let hosts = Set(servers.map(\.key) + own.values.joined().map(\.key).filter { $0 == nil })
        self.servers = Self.places(of: servers, besides: hosts)
        ownServers = own.mapValues { Self.places(of: $0, besides: hosts) }
        if requirements.accepted.isEmpty, operationCount > 0 {
            findings.warn(
                document.root.entry("components")?.keySpan ?? document.root.span,
                "the document has no security scheme for access tokens")
        }
        try addResources(operations)
        map = resourceMap(title: title?.oneLine(limit: 60))
        draft = OpenAPIDraft(id: id, title: title, document, requirements, operations, resources).text
        // What the readers of both files find in them.
        let files = [SourceFile(path: "\(id).yaml", text: draft), SourceFile(path: "\(id)-resources.yaml", text: map)]
        for found in Linter().lint(files: files).diagnostics {
            findings.add(found.severity, found.span, found.message, found.help, in: found.file)
        }
    }

    /// The schemes whose tokens the map accepts.
    package var acceptedSchemes: [String] { requirements.accepted.map(\.name) }

    package var counts: (operations: Int, resources: Int, open: Int, closed: Int) {
        let (open, closed) = (resources.count(where: \.need.isOpen), resources.count(where: \.need.isClosed))
        return (operationCount, resources.count, open, closed)
    }

    private static func id(from title: String) -> String {
        let words = title.lowercased().utf8.split { !ASCII.isAlphanumeric($0) }.map {
            String(decoding: $0, as: UTF8.self)
        }
        let id = String(words.joined(separator: "-").prefix(64))
        let trimmed = id.hasSuffix("-") ? String(id.dropLast()) : id
        return ProviderID.isValid(trimmed) ? trimmed : "api"
    }
}

// MARK: Resources

extension OpenAPIImport {
    private mutating func addResources(_ operations: OpenAPIOperations) throws {
        // Those that a map cannot say as they are, with the path of the operation.
        var later: [(resource: Resource, path: String)] = []
        for operation in operations.all {
            var need = requirements.need(of: operation)
            var places = servers(of: operation)
            if places.isEmpty {
                findings.warn(
                    operation.place, "none of the operation's servers is imported: the map refuses the request")
                (places, need) = (servers, .nobody)
            }
            let name = operation.node?.text("operationId")?.oneLine(limit: 80)
            let title = operation.node?.text("summary")?.oneLine(limit: 80) ?? name
            for (index, server) in places.enumerated() {
                let path = OpenAPIPath(server.path + operation.path, host: server.host)
                try grow(by: path.url.utf8.count)
                if let problem = path.problem {
                    findings.warn(operation.place, "no request can be this one: \(problem.reason)")
                    continue
                }
                let resource = Resource(
                    id: index == 0 ? name : nil,
                    title: title ?? "\(operation.method) \(operation.path)".oneLine(limit: 80) ?? operation.method,
                    path: path, methods: [operation.method], hosts: server.hosts, parts: path.parts, need: need,
                    place: operation.place)
                if path.isWhole, ResourceMethod(rawValue: operation.method) != nil {
                    add(resource)
                } else {
                    later.append((resource, operation.path))
                }
            }
        }
        for (resource, path) in later {
            if ResourceMethod(rawValue: resource.methods[0]) != nil {
                addPart(resource)
            } else {
                addMethod(resource, at: path)
            }
        }
        // Otherwise a more general resource would decide about them.
        for (resource, path) in later where !shapes.contains(resource.path.shape) {
            refuse(Self.methods, resource.path, path, resource.hosts, resource.place)
        }
        for (path, place) in operations.others {
            for server in servers {
                let path = OpenAPIPath(server.path + path, host: server.host)
                try grow(by: path.url.utf8.count)
                if path.problem == nil, !shapes.contains(path.shape) {
                    refuse(Self.methods, path, path.url, server.hosts, place)
                }
            }
        }
        resources = try OpenAPIOverlaps(resources, of: document).resources
        for resource in resources {
            let (allOf, anyOf, isWhole) = resource.need.requirement
            try grow(by: (allOf + anyOf).map(\.utf8.count).reduce(0, +))
            guard !isWhole else { continue }
            findings.warn(
                resource.place,
                "a map cannot require one of these combinations of scopes: it does not accept all of them")
        }
    }

    /// - Returns: Nothing if the operation has servers of its own, and none can be read.
    private func servers(of operation: OpenAPIOperation) -> [ServerPlace] {
        guard let own = operation.servers, own.elements?.isEmpty == false else { return servers }
        return ownServers[own.span] ?? []
    }

    /// - Parameter hosts: Those of the document, with `nil` if there is a server without one.
    private static func places(of servers: [ServerBase], besides hosts: Set<ByteKey?>) -> [ServerPlace] {
        var places: [ServerPlace] = []
        for server in servers {
            // A host that is not the document's keeps its paths apart; if a map can name it.
            let isApart = server.host?.isPlainHost == true && !hosts.contains(server.key) && !hosts.contains(nil)
            let host = isApart ? server.host : nil
            if let known = places.firstIndex(where: { $0.host == host && $0.path.isSameBytes(as: server.path) }) {
                places[known].hosts.insert(server.key)
            } else {
                places.append(ServerPlace(host: host, path: server.path, hosts: [server.key]))
            }
        }
        return places
    }

    /// - Throws: `WritingError` if the reader of maps would refuse the map for its size.
    private mutating func grow(by bytes: Int) throws {
        size += bytes
        let most = YAMLLimits().maximumBytes
        guard size <= most else {
            throw WritingError(
                "the map of \(document.file.path) would have more than \(most >> 20) MB, which its reader refuses",
                next: ["split the description"])
        }
    }

    private mutating func add(_ resource: Resource) {
        guard let position = positions[resource.methods[0] + " " + resource.path.shape] else { return append(resource) }
        restrict(position, resource, "an earlier operation is the same request for a map: it requires what both need")
    }

    private mutating func append(_ resource: Resource) {
        let shape = resource.path.shape
        for method in resource.methods { positions[method + " " + shape] = resources.count }
        shapes.insert(shape)
        resources.append(resource)
    }

    /// Makes a resource require also what another one needs.
    private mutating func restrict(_ position: Int, _ other: Resource, _ message: String) {
        let need = resources[position].need.and(other.need)
        let isSame = need.isSame(as: resources[position].need) && need.isSame(as: other.need)
        resources[position].need = need
        resources[position].hosts.formUnion(other.hosts)
        resources[position].parts.formUnion(other.parts)
        if !isSame { findings.warn(other.place, message) }
    }

    /// An operation whose path a map can only say with other paths.
    private mutating func addPart(_ resource: Resource) {
        guard let position = positions[resource.methods[0] + " " + resource.path.shape] else {
            return findings.warn(
                resource.place, "a map cannot say a part of a segment, or a query: it refuses the request",
                help: "add a resource by hand if its URL may be \(resource.path.url)")
        }
        let known = resources[position].path.url
        restrict(position, resource, "a map cannot distinguish the request from \(known): it requires what both need")
    }

    /// An operation whose method a map cannot name.
    private mutating func addMethod(_ resource: Resource, at path: String) {
        let method = resource.methods[0]
        guard method == "HEAD" else {
            return findings.warn(
                resource.place, "a map cannot name the method \(method.quoted): it refuses the request")
        }
        if let position = positions["GET " + resource.path.shape] {
            return restrict(position, resource, "HEAD is GET for a map: it requires what both need")
        }
        findings.warn(resource.place, "a map cannot name HEAD without GET: it refuses the request")
        // So that no other path lets it in.
        if shapes.contains(resource.path.shape) {
            refuse(["GET"], resource.path, path, resource.hosts, resource.place)
        }
    }

    private static let methods = ["GET", "POST", "PUT", "PATCH", "DELETE"]

    private mutating func refuse(
        _ methods: [String], _ path: OpenAPIPath, _ title: String, _ hosts: Set<ByteKey?>, _ place: SourceSpan
    ) {
        append(
            Resource(
                title: title.oneLine(limit: 80) ?? "closed", path: path, methods: methods, hosts: hosts,
                parts: path.parts, need: .nobody, place: place))
    }
}

extension String {
    /// Whether it is a name or an address of IPv4, with or without a port.
    fileprivate var isPlainHost: Bool {
        utf8.count { $0 == UInt8(ascii: ":") } <= 1
            && utf8.allSatisfy { ASCII.isAlphanumeric($0) || "-._:".utf8.contains($0) }
    }
}
