import CarnetDescriptors
import CarnetFoundation
import CarnetLint

/// An operation of a description (OpenAPI 3.2, section 4.10).
struct OpenAPIOperation {
    let path: String
    /// In upper case, as a request has it.
    let method: String
    let place: SourceSpan
    /// `nil` if it cannot be read; then nobody may send the request.
    let node: YAMLNode?
    /// Those of the operation or of its path, which replace those of the document.
    let servers: YAMLNode?
    let parameters: YAMLNode?
}

/// The operations of a document, and its paths without any.
struct OpenAPIOperations {
    private(set) var all: [OpenAPIOperation] = []
    /// Paths of which a map must know that they exist, so that no general resource decides about them.
    private(set) var others: [(path: String, place: SourceSpan)] = []
    private let findings: ImportFindings

    private static let methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"]
    private static let otherFields = [
        "$ref", "summary", "description", "servers", "parameters", "additionalOperations",
    ]
    /// Only references could make more of a file of the greatest size.
    static let most = 200_000

    /// - Throws: `WritingError` if there are too many.
    init(_ document: OpenAPIDocument) throws {
        findings = document.findings
        guard let paths = document.root.entry("paths")?.value.entries else {
            findings.warn(document.root.entry("paths")?.keySpan ?? .fileStart, "the document has no paths")
            return
        }
        for entry in paths where !entry.key.hasPrefix("x-") {
            guard entry.key.hasPrefix("/") else {
                findings.error(
                    entry.keySpan, "the path \(entry.key.quoted) does not begin with a slash: it is not imported")
                continue
            }
            let items = document.resolving(entry.value)
            if items == nil {
                findings.error(
                    entry.value.span, "the path \(document.missing(entry.value)): it is not imported",
                    help: "bundle the documents into one file")
            } else if entry.value.entries == nil {
                findings.error(entry.keySpan, "the path is no mapping: it is not imported")
            }
            read(items ?? [entry.value], of: entry)
            guard all.count <= Self.most else {
                throw WritingError(
                    "\(document.file.path) has more than \(Self.most) operations",
                    next: ["split the document, and import each part"])
            }
        }
    }

    private mutating func read(_ items: [YAMLNode], of path: YAMLEntry) {
        let count = all.count
        let servers = items.lazy.compactMap { $0.entry("servers")?.value }.first
        let parameters = items.lazy.compactMap { $0.entry("parameters")?.value }.first
        func add(_ method: String, _ field: YAMLEntry) {
            let node = field.value.entries == nil || field.value.entry("$ref") != nil ? nil : field.value
            if node == nil {
                findings.error(
                    field.value.span,
                    "the operation is no mapping, or is in another document: the map refuses the request")
            }
            all.append(
                OpenAPIOperation(
                    path: path.key, method: method, place: field.keySpan, node: node,
                    servers: node?.entry("servers")?.value ?? servers, parameters: parameters))
        }
        for field in items.flatMap({ $0.entries ?? [] }) where !field.key.hasPrefix("x-") {
            if Self.methods.contains(field.key) {
                add(field.key.uppercased(), field)
            } else if field.key == "additionalOperations" {
                for other in field.value.entries ?? [] { add(other.key, other) }
            } else if !Self.otherFields.contains(field.key) {
                findings.error(
                    field.keySpan, "a path has no field \(field.key.quoted): it is not imported",
                    help: "methods are written in lower case")
            }
        }
        if all.count == count { others.append((path.key, path.keySpan)) }
    }
}
