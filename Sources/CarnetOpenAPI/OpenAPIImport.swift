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

    /// A resource of the map.
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
    package private(set) var findings = ImportFindings()
    private let operationCount: Int
    package private(set) var draft = ""
    package private(set) var map = ""

    private let document: OpenAPIDocument
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
        for mistake in document.mistakes {
            findings.add(.error, mistake.message, at: mistake.span, help: mistake.help)
        }
        let operations = try OpenAPIOperations(document, &findings)
        operationCount = operations.all.count
        requirements = try OpenAPIRequirements(
            document, operations, named: options.schemes, checkedElsewhere: options.checkedElsewhere, &findings)
        let title = document.root.entry("info")?.value.text("title")
        id = options.id ?? Self.id(from: title ?? "")
        guard DescriptorDraft(id: id, issuer: nil) != nil else {
            throw WritingError("\(id.quoted) is not an id: use lower-case letters, digits and hyphens, at most 64")
        }
        let servers = Self.servers(of: document, &findings)
        var own: [SourceSpan: [ServerBase]] = [:]
        for servers in operations.all.compactMap(\.servers) where own[servers.span] == nil {
            own[servers.span] = ServerReader.read(servers, &findings)
        }
        // A relative one can have any host.
        let hosts = Set(servers.map(\.key) + own.values.joined().map(\.key).filter { $0 == nil })
        self.servers = Self.places(of: servers, besides: hosts)
        ownServers = own.mapValues { Self.places(of: $0, besides: hosts) }
        if requirements.accepted.isEmpty, operationCount > 0 {
            findings.add(
                .warning, "the document has no security scheme for access tokens",
                at: document.root.entry("components")?.keySpan ?? document.root.span)
        }
        try addResources(operations)
        map =
            ResourceMapText(
                resources, of: file.path, title: title?.oneLine(limit: 60), schemes: requirements.accepted.map(\.name)
            ).text
        draft =
            OpenAPIDraft(id: id, title: title, document, requirements, operations, resources, &findings).text
        check()
    }

    /// The schemes whose tokens the map accepts.
    package var acceptedSchemes: [String] { requirements.accepted.map(\.name) }

    package var counts: (operations: Int, resources: Int, open: Int, closed: Int) {
        (
            operationCount, resources.count, resources.count(where: \.need.isOpen),
            resources.count(where: \.need.isClosed)
        )
    }

    private static func id(from title: String) -> String {
        let words = title.lowercased().utf8.split { !ASCII.isAlphanumeric($0) }.map {
            String(decoding: $0, as: UTF8.self)
        }
        let id = String(words.joined(separator: "-").prefix(64))
        let trimmed = id.hasSuffix("-") ? String(id.dropLast()) : id
        return ProviderID.isValid(trimmed) ? trimmed : "api"
    }

    private static func servers(of document: OpenAPIDocument, _ findings: inout ImportFindings) -> [ServerBase] {
        let servers =
            document.isSwagger
            ? ServerReader.readSwagger(document.root, &findings).map { [$0] } ?? []
            : document.root.entry("servers").map { ServerReader.read($0.value, &findings) } ?? []
        return servers.isEmpty ? [.root] : servers
    }

    /// What the readers of both files find in them.
    private mutating func check() {
        let files = [
            SourceFile(path: "\(id).yaml", text: draft), SourceFile(path: "\(id)-resources.yaml", text: map),
        ]
        for found in Linter().lint(files: files).diagnostics {
            findings.add(found.severity, found.message, at: found.span, help: found.help, in: found.file)
        }
    }
}

// MARK: Resources

extension OpenAPIImport {
    /// An operation at one of its servers.
    private struct Occurrence {
        let operation: OpenAPIOperation
        let path: OpenAPIPath
        let need: AccessNeed
        let hosts: Set<ByteKey?>
        /// Whether it is the first, which has the operation's id.
        let isFirst: Bool
    }

    private mutating func addResources(_ operations: OpenAPIOperations) throws {
        var later: [Occurrence] = []
        for operation in operations.all {
            var need = requirements.need(of: operation, &findings)
            var places = servers(of: operation)
            if places.isEmpty {
                findings.add(
                    .warning, "none of the operation's servers is imported: the map refuses the request",
                    at: operation.place)
                (places, need) = (servers, .nobody)
            }
            for (index, server) in places.enumerated() {
                let path = OpenAPIPath(server.path + operation.path, host: server.host)
                try grow(by: path.url.utf8.count)
                if let problem = path.problem {
                    findings.add(
                        .warning, "no request can be this one: \(problem.reason)", at: operation.place)
                    continue
                }
                let occurrence = Occurrence(
                    operation: operation, path: path, need: need, hosts: server.hosts, isFirst: index == 0)
                if path.isWhole, ResourceMethod(rawValue: operation.method) != nil {
                    add(occurrence)
                } else {
                    later.append(occurrence)
                }
            }
        }
        for occurrence in later {
            if ResourceMethod(rawValue: occurrence.operation.method) != nil {
                addPart(occurrence)
            } else {
                addMethod(occurrence)
            }
        }
        // Otherwise a more general resource would decide about them.
        for occurrence in later where !shapes.contains(occurrence.path.shape) { refuse(Self.methods, occurrence) }
        for (path, place) in operations.others {
            for server in servers {
                let path = OpenAPIPath(server.path + path, host: server.host)
                try grow(by: path.url.utf8.count)
                if path.problem == nil, !shapes.contains(path.shape) {
                    refuse(Self.methods, path, path.url, server.hosts, place)
                }
            }
        }
        resources = try OpenAPIOverlaps(resources, of: document.file.path, &findings).resources
        for resource in resources {
            let (allOf, anyOf, isWhole) = resource.need.requirement
            try grow(by: (allOf + anyOf).map(\.utf8.count).reduce(0, +))
            guard !isWhole else { continue }
            findings.add(
                .warning,
                "a map cannot require one of these combinations of scopes: it does not accept all of them",
                at: resource.place)
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

    private mutating func add(_ occurrence: Occurrence) {
        let (operation, path) = (occurrence.operation, occurrence.path)
        if let position = positions[operation.method + " " + path.shape] {
            restrict(
                position, occurrence, "an earlier operation is the same request for a map: it requires what both need")
            return
        }
        let name = operation.node?.text("operationId")?.oneLine(limit: 80)
        let title = operation.node?.text("summary")?.oneLine(limit: 80) ?? name
        append(
            Resource(
                id: occurrence.isFirst ? name : nil,
                title: title ?? "\(operation.method) \(operation.path)".oneLine(limit: 80) ?? operation.method,
                path: path, methods: [operation.method], hosts: occurrence.hosts, need: occurrence.need,
                place: operation.place))
    }

    private mutating func append(_ resource: Resource) {
        let shape = resource.path.shape
        for method in resource.methods { positions[method + " " + shape] = resources.count }
        shapes.insert(shape)
        resources.append(resource)
    }

    /// Makes a resource require also what another operation needs.
    private mutating func restrict(_ position: Int, _ occurrence: Occurrence, _ message: String) {
        let need = resources[position].need.and(occurrence.need)
        let isSame = need.isSame(as: resources[position].need) && need.isSame(as: occurrence.need)
        resources[position].need = need
        resources[position].hosts.formUnion(occurrence.hosts)
        resources[position].parts.formUnion(occurrence.path.parts)
        if !isSame { findings.add(.warning, message, at: occurrence.operation.place) }
    }

    /// An operation whose path a map can only say with other paths.
    private mutating func addPart(_ occurrence: Occurrence) {
        guard let position = positions[occurrence.operation.method + " " + occurrence.path.shape] else {
            findings.add(
                .warning, "a map cannot say a part of a segment, or a query: it refuses the request",
                at: occurrence.operation.place,
                help: "add a resource by hand if its URL may be \(occurrence.path.url)")
            return
        }
        let message =
            "a map cannot distinguish the request from \(resources[position].path.url): it requires what both need"
        restrict(position, occurrence, message)
    }

    /// An operation whose method a map cannot name.
    private mutating func addMethod(_ occurrence: Occurrence) {
        let method = occurrence.operation.method
        guard method == "HEAD" else {
            findings.add(
                .warning, "a map cannot name the method \(method.quoted): it refuses the request",
                at: occurrence.operation.place)
            return
        }
        guard let position = positions["GET " + occurrence.path.shape] else {
            findings.add(
                .warning, "a map cannot name HEAD without GET: it refuses the request", at: occurrence.operation.place)
            // So that no other path lets it in.
            if shapes.contains(occurrence.path.shape) { refuse(["GET"], occurrence) }
            return
        }
        restrict(position, occurrence, "HEAD is GET for a map: it requires what both need")
    }

    private static let methods = ["GET", "POST", "PUT", "PATCH", "DELETE"]

    private mutating func refuse(_ methods: [String], _ occurrence: Occurrence) {
        let operation = occurrence.operation
        refuse(methods, occurrence.path, operation.path, occurrence.hosts, operation.place)
    }

    private mutating func refuse(
        _ methods: [String], _ path: OpenAPIPath, _ title: String, _ hosts: Set<ByteKey?>, _ place: SourceSpan
    ) {
        append(
            Resource(
                title: title.oneLine(limit: 80) ?? "closed", path: path, methods: methods, hosts: hosts,
                parts: path.parts, need: .nobody, place: place))
    }
}

extension ServerBase {
    fileprivate var key: ByteKey? { host.map(ByteKey.init) }
}

extension String {
    /// Whether it is a name or an address of IPv4, with or without a port.
    fileprivate var isPlainHost: Bool {
        utf8.count { $0 == UInt8(ascii: ":") } <= 1
            && utf8.allSatisfy { ASCII.isAlphanumeric($0) || "-._:".utf8.contains($0) }
    }
}
