package import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import CarnetProtocol

/// An API's description in OpenAPI 3 or Swagger 2.0, as YAML or JSON.
package struct OpenAPIDocument {
    let file: SourceFile
    let root: YAMLNode
    let findings = ImportFindings()
    let isSwagger: Bool
    /// What a `$ref` may name, by its pointer.
    private let targets: [ByteKey: YAMLNode]

    /// Published descriptions have up to 40 MB.
    package static let limits = YAMLLimits(
        maximumBytes: 64 << 20, maximumDepth: 128, maximumNodes: 4_000_000, maximumScalarBytes: 4 << 20)

    /// A file with more is not one that somebody published.
    private static let mostMistakes = 1000

    /// - Throws: `WritingError` with the place of the mistake.
    init(_ file: SourceFile) throws {
        let document = YAMLReader(limits: Self.limits).read(
            SourceFile(path: file.path, bytes: JSONAsYAML.bytes(file.bytes)))
        guard let root = document.root else {
            guard let mistake = document.diagnostics.first, mistake.code != ReaderDiagnostics.emptyFile.code else {
                throw WritingError("\(file.path) is empty", next: ["download the description again"])
            }
            let isPage = file.bytes.first { $0 > 0x20 } == UInt8(ascii: "<")
            let help = isPage ? "it is a page or XML: download the description itself, as YAML or JSON" : mistake.help
            throw WritingError("\(mistake)", next: [help ?? "correct it there: the file must be YAML or JSON in UTF-8"])
        }
        let version = root.entry("openapi") ?? root.entry("swagger")
        let number = version?.value.scalar?.text ?? ""
        guard let version, number.hasPrefix(version.key == "openapi" ? "3." : "2.") else {
            let issuer = root.text("issuer").map {
                "it is metadata of an issuer: run carnet new ID --issuer \($0.shellWord)"
            }
            let next = issuer ?? "name a file that begins with openapi: 3.1.0, or with swagger: \"2.0\""
            let descriptor = "it is a descriptor of Carnet: run carnet lint \(file.path.shellWord)"
            throw WritingError(
                "\(file.path):1:1: no description in OpenAPI 3 or Swagger 2.0",
                next: [root.entry("carnet") == nil ? next : descriptor])
        }
        self.file = file
        self.root = root
        isSwagger = version.key == "swagger"
        let errors = document.diagnostics.filter { $0.severity == .error }
        guard errors.count <= Self.mostMistakes else { throw WritingError("\(errors[0])") }
        targets = Self.targets(in: root)
        for mistake in errors where root.isImported(at: mistake.span.start) {
            findings.error(mistake.span, mistake.message, help: mistake.help)
        }
    }

    /// - Parameter path: `-` for standard input.
    package static func file(_ path: String) throws -> SourceFile {
        let most = limits.maximumBytes
        do throws(SourceFileError) {
            return path == "-"
                ? try SourceFile(readingStandardInputAs: "<stdin>", maximumBytes: most)
                : try SourceFile(readingFrom: path, maximumBytes: most)
        } catch {
            let download = path.contains("://") ? "download it first: curl -fLo api.yaml \(path.shellWord)" : nil
            let next = download ?? "name a file of at most \(most >> 20) MB, or - for stdin"
            throw WritingError(error.description, next: [next])
        }
    }

    /// Of other parts, an import needs nothing. Each is read once, so that many references cost no more.
    private static func targets(in root: YAMLNode) -> [ByteKey: YAMLNode] {
        var targets: [ByteKey: YAMLNode] = [:]
        for path in [
            ["paths"], ["components", "pathItems"], ["components", "securitySchemes"], ["securityDefinitions"],
            ["components", "parameters"], ["parameters"], ["components", "responses"], ["responses"],
            ["components", "schemas"], ["definitions"],
        ] {
            for entry in root.node(at: path)?.entries ?? [] {
                targets[ByteKey((path + [entry.key]).joined(separator: "\n"))] = entry.value
            }
        }
        return targets
    }

    /// The value that a reference to this document names (RFC 6901, section 6).
    func target(of reference: String) -> YAMLNode? {
        guard reference.hasPrefix("#/"), let decoded = PercentEncoding.decode(String(reference.dropFirst())),
            let pointer = JSONPointer(decoded)
        else { return nil }
        return targets[ByteKey(pointer.tokens.joined(separator: "\n"))]
    }

    /// Why a reference cannot be followed.
    func missing(_ node: YAMLNode) -> String {
        node.text("$ref")?.hasPrefix("#") == true
            ? "refers to nothing in this document, or to itself" : "is in another document"
    }

    /// A value with those that its `$ref` names, one after the other.
    ///
    /// - Returns: `nil` if a reference names something that is not here.
    func resolving(_ node: YAMLNode) -> [YAMLNode]? {
        var nodes = [node]
        while let reference = nodes[nodes.count - 1].entry("$ref")?.value {
            guard nodes.count < 16, let text = reference.scalar?.text, let next = target(of: text) else { return nil }
            nodes.append(next)
        }
        return nodes
    }
}

extension YAMLNode {
    /// Whether a place is in a part of the document that decides about access.
    fileprivate func isImported(at place: SourcePosition) -> Bool {
        var node = self
        var keys: [String] = []
        func holds(_ span: SourceSpan) -> Bool { span.start <= place && place < span.end }
        while let entry = node.entries?.first(where: { holds($0.value.span) }) {
            keys.append(entry.key)
            guard Self.isImported(keys) else { return false }
            node = entry.value
        }
        return true
    }

    private static func isImported(_ keys: [String]) -> Bool {
        if keys.last?.hasPrefix("x-") == true { return false }
        switch (keys.count, keys[0]) {
        case (1, let key):
            return [
                "paths", "components", "security", "servers", "securityDefinitions", "openapi", "swagger", "host",
                "basePath", "schemes",
            ].contains(key)
        case (2, "components"): return ["securitySchemes", "pathItems"].contains(keys[1])
        case (3, "paths"): return !["parameters", "summary", "description"].contains(keys[2])
        case (4, "paths"): return ["security", "servers", "$ref"].contains(keys[3])
        default: return true
        }
    }
}
