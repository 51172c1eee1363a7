import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import CarnetProtocol

/// Changes one registration in a clients file; everything else stays as it is written.
struct ClientsFileEditor {
    private let path: String
    private let text: SourceText
    private let bytes: [UInt8]
    private let root: YAMLNode?

    /// - Throws: `Failure` if the file is there and cannot be read.
    init(_ path: String) throws {
        self.path = path
        let isThere = !Path.isAbsent(path)
        let file = isThere ? try SourceFile(readingFrom: path) : SourceFile(path: path, bytes: [])
        text = SourceText(file)
        bytes = file.bytes
        root = isThere ? YAMLReader().read(file).root : nil
    }

    /// The file with a registration of a provider: a new one at its end, or new values in the one that is there.
    ///
    /// - Parameters:
    ///   - postLogoutRedirectURI: As registered; `nil` leaves what the file says of it.
    ///   - keyFile: Where the key is that signs for the client; `nil` leaves what the file says of it.
    ///   - input: What a new registration was made with.
    /// - Throws: `Failure` for a file that is written so that it cannot be changed in parts.
    func setting(
        _ client: RegisteredClient, redirectURI: String?, postLogoutRedirectURI: String?, keyFile: String?,
        of provider: String, with input: InputOptions
    ) throws -> [UInt8] {
        let isManaged = client.managementURI != nil && client.managementToken != nil
        let texts: [(String, String?)] = [
            ("client_id", client.clientID), ("client_secret", client.clientSecret?.reveal()),
            ("client_key_file", keyFile), ("redirect_uri", redirectURI),
            ("post_logout_redirect_uri", postLogoutRedirectURI),
            ("registration_client_uri", isManaged ? client.managementURI?.text : nil),
            ("registration_access_token", isManaged ? client.managementToken?.reveal() : nil),
        ]
        var values = texts.compactMap { name, text in text.map { (name, JSONValue.string($0)) } }
        if let origins = client.origins { values.append(("origins", .list(origins))) }
        guard let entry = root?.entry(provider) else {
            let start = bytes.isEmpty ? "# Written by carnet register. It contains secrets.\n" : ""
            let end = bytes.isEmpty || bytes.last == UInt8(ascii: "\n") ? "" : "\n"
            if let environment = input.environment { values.append(("environment", .string(environment))) }
            var lines = values.map { "  \($0.0): \($0.1.jsonText())\n" }.joined()
            if !input.values.isEmpty {
                let inputs = input.values.sorted { $0.key < $1.key }.map { "\($0.key): \(YAMLText.quoted($0.value))" }
                lines += "  inputs: { \(inputs.joined(separator: ", ")) }\n"
            }
            if root?.entries?.isEmpty == false { try checkLayout(root?.entries?.first) }
            return bytes + Array((end + start + "\(provider):\n" + lines).utf8)
        }
        try checkLayout(entry)
        let members = entry.value.entries ?? []
        guard let first = members.first else { throw unchangeable }
        var edits: [(range: Range<Int>, text: String)] = []
        var added = ""
        for (name, value) in values {
            let names = ClientsFileEntry.alternatives.first { $0.keys.contains(name) }?.keys ?? [name]
            guard let member = members.first(where: { names.contains($0.key) }) else {
                let isOnOneLine = first.keySpan.start.line == entry.keySpan.start.line
                let indentation = String(repeating: " ", count: first.keySpan.start.column - 1)
                added += "\(name): \(value.jsonText())" + (isOnOneLine ? ", " : "\n\(indentation)")
                continue
            }
            let span = SourceSpan(start: member.keySpan.start, end: member.value.span.end)
            guard let range = text.range(of: span) else { throw unchangeable }
            edits.append((range, "\(name): \(value.jsonText())"))
        }
        if !added.isEmpty {
            let start = SourceSpan(start: first.keySpan.start, end: first.keySpan.start)
            guard let range = text.range(of: start) else { throw unchangeable }
            edits.append((range, added))
        }
        var result = bytes
        for edit in edits.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
            result.replaceSubrange(edit.range, with: Array(edit.text.utf8))
        }
        return result
    }

    /// The file without the registration of a provider.
    ///
    /// - Throws: as `setting(_:redirectURI:keyFile:of:with:)`.
    func removing(_ provider: String) throws -> [UInt8] {
        guard let entry = root?.entry(provider) else { return bytes }
        try checkLayout(entry)
        let first = entry.keySpan.start.line
        let next = root?.entries?.map(\.keySpan.start.line).filter { $0 > first }.min()
        let last = Self.lastLine(of: entry.value)
        let end = next.map { min($0, last + 1) } ?? last + 1
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let kept = lines.enumerated().filter { !(first..<end).contains($0.offset + 1) }.map(\.element)
        return Array(kept.joined(separator: [UInt8(ascii: "\n")]))
    }

    /// Writes the file for its owner alone, whole or not at all.
    ///
    /// - Throws: `Failure`.
    static func write(_ bytes: [UInt8], to path: String) throws {
        try NewFiles.explaining("\(path) cannot be written: ") {
            try NewFiles.write([NewFiles.File(path: path, bytes: bytes, isPrivate: true)], replacing: true)
        }
    }

    /// Checks that the registration of a provider can be written.
    ///
    /// - Throws: `Failure` that says why not.
    func check(_ provider: String) throws {
        if let entry = root?.entry(provider) {
            try checkLayout(entry)
            guard entry.value.entries?.isEmpty == false else { throw unchangeable }
        } else if let first = root?.entries?.first {
            try checkLayout(first)
        }
        try NewFiles.explaining("\(path) cannot be written: ") {
            try NewFiles.check(NewFiles.File(path: path, bytes: bytes, isPrivate: true))
        }
    }

    /// A provider has to begin a line of its own.
    private func checkLayout(_ entry: YAMLEntry?) throws {
        guard let entry, entry.keySpan.start.column == 1 else { throw unchangeable }
    }

    private var unchangeable: Failure {
        Failure(
            .usage, "\(path) cannot be changed: several providers share a line",
            next: ["write each provider on its own line, or choose another file"])
    }

    private static func lastLine(of node: YAMLNode) -> Int {
        switch node.content {
        case .mapping(let entries): entries.map { lastLine(of: $0.value) }.max() ?? node.span.start.line
        case .sequence(let elements): elements.map(lastLine).max() ?? node.span.start.line
        case .scalar: node.span.end.line
        }
    }
}
