import CarnetDescriptors
import CarnetFoundation
import CarnetLint

/// Turns an API's description into a resource map and the draft of a descriptor. Where a map cannot say what the
/// description says, it refuses more, and a finding says so.
struct OpenAPIImport {
    struct Options {
        /// The schemes whose tokens the map accepts; by default the first with an authorization server.
        var schemes: [String] = []
        /// Schemes that another program checks.
        var checkedElsewhere: [String] = []
        /// By default, made from the title.
        var id: String?
    }

    /// A resource of the map.
    struct Resource {
        var id: String?
        var title: String
        let url: String
        let methods: [String]
        var need: AccessNeed
        let place: SourceSpan
    }

    let id: String
    private(set) var resources: [Resource] = []
    private(set) var findings = ImportFindings()
    let operationCount: Int
    private(set) var draft = ""
    private(set) var map = ""

    private let document: OpenAPIDocument
    private let requirements: OpenAPIRequirements
    /// The servers of the document, without their hosts: a map is for any.
    private let bases: [ServerBase]
    private let origin: String?
    private let hosts: Set<String>
    /// The position of a resource by method and shape.
    private var positions: [String: Int] = [:]
    private var shapes: Set<String> = []

    /// - Throws: `Failure` if the file is no description, or an option names what it has not.
    init(_ file: SourceFile, _ options: Options) throws {
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
            throw Failure(.usage, "\(id.quoted) is not an id: use lower-case letters, digits and hyphens")
        }
        let servers = Self.servers(of: document, &findings)
        origin = servers.lazy.compactMap(\.origin).first
        hosts = Set(servers.compactMap(\.host))
        bases = servers.map(\.withoutHost).withoutRepeats
        if requirements.accepted.isEmpty, operationCount > 0 {
            findings.add(
                .warning, "the document has no security scheme for access tokens",
                at: document.root.entry("components")?.keySpan ?? document.root.span)
        }
        addResources(operations)
        map =
            ResourceMapText(
                resources, of: file.path, title: title?.oneLine(limit: 60), schemes: requirements.accepted.map(\.name)
            ).text
        draft = OpenAPIDraft(id: id, title: title, document, requirements.accepted.first, origin, &findings).text
        check()
    }

    /// The schemes whose tokens the map accepts.
    var acceptedSchemes: [String] { requirements.accepted.map(\.name) }

    private static func id(from title: String) -> String {
        let words = title.lowercased().utf8.split { !ASCII.isAlphanumeric($0) }.map {
            String(decoding: $0, as: UTF8.self)
        }
        let id = String(words.joined(separator: "-").prefix(40))
        let trimmed = id.hasSuffix("-") ? String(id.dropLast()) : id
        return ProviderID.isValid(trimmed) ? trimmed : "api"
    }

    private static func servers(of document: OpenAPIDocument, _ findings: inout ImportFindings) -> [ServerBase] {
        let servers =
            document.isSwagger
            ? ServerReader.readSwagger(document.root).map { [$0] } ?? []
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
        /// Whether it is the first, which has the operation's id.
        let isFirst: Bool
    }

    private mutating func addResources(_ operations: OpenAPIOperations) {
        var later: [Occurrence] = []
        for operation in operations.all {
            let need = requirements.need(of: operation, &findings)
            for (index, base) in bases(of: operation).enumerated() {
                let path = OpenAPIPath(base.path + operation.path, host: base.host)
                if let problem = path.problem {
                    findings.add(
                        .warning, "no request can be this one: \(problem.reason)", at: operation.place)
                    continue
                }
                let occurrence = Occurrence(operation: operation, path: path, need: need, isFirst: index == 0)
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
        for occurrence in later { close(occurrence.path, occurrence.operation.path, occurrence.operation.place) }
        for (path, place) in operations.others {
            for base in bases {
                let path = OpenAPIPath(base.path + path, host: base.host)
                if path.problem == nil { close(path, path.url, place) }
            }
        }
        for resource in resources where !resource.need.requirement.isWhole {
            findings.add(
                .warning,
                "a map cannot require one of these combinations of scopes: it does not accept all of them",
                at: resource.place)
        }
    }

    private mutating func bases(of operation: OpenAPIOperation) -> [ServerBase] {
        guard let servers = operation.servers else { return bases }
        let own = ServerReader.read(servers, &findings).map { base in
            // A host that is not the document's keeps its paths apart; if a map can name it.
            let isOther = base.host.map { !hosts.contains($0) && $0.isPlainHost } ?? false
            return isOther ? base.withHost : base.withoutHost
        }
        return own.isEmpty ? bases : own.withoutRepeats
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
                url: path.url, methods: [operation.method], need: occurrence.need, place: operation.place),
            path)
    }

    private mutating func append(_ resource: Resource, _ path: OpenAPIPath) {
        for method in resource.methods { positions[method + " " + path.shape] = resources.count }
        shapes.insert(path.shape)
        resources.append(resource)
    }

    /// Makes a resource require also what another operation needs.
    private mutating func restrict(_ position: Int, _ occurrence: Occurrence, _ message: String) {
        let need = resources[position].need.and(occurrence.need)
        let isSame = need.isSame(as: resources[position].need) && need.isSame(as: occurrence.need)
        resources[position].need = need
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
        let message = "a map cannot distinguish the request from \(resources[position].url): it requires what both need"
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
            return
        }
        restrict(position, occurrence, "HEAD is GET for a map: it requires what both need")
    }

    /// Refuses all requests with a path, unless it has a resource.
    private mutating func close(_ path: OpenAPIPath, _ title: String, _ place: SourceSpan) {
        guard !shapes.contains(path.shape) else { return }
        append(
            Resource(
                title: title.oneLine(limit: 80) ?? "closed", url: path.url,
                methods: ["GET", "POST", "PUT", "PATCH", "DELETE"], need: .nobody, place: place),
            path)
    }
}

extension [ServerBase] {
    fileprivate var withoutRepeats: [ServerBase] {
        var seen: Set<ServerBase> = []
        return filter { seen.insert($0).inserted }
    }
}

extension String {
    /// Whether it is a name or an address of IPv4, with or without a port.
    fileprivate var isPlainHost: Bool {
        utf8.count { $0 == UInt8(ascii: ":") } <= 1
            && utf8.allSatisfy { ASCII.isAlphanumeric($0) || "-.:".utf8.contains($0) }
    }
}
