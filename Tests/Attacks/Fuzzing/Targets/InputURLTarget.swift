import CarnetDescriptors
import CarnetFoundation
import CarnetTestSupport

/// Descriptors with inputs in their URLs, and values for these: no value moves a request to an origin outside the template's.
///
/// A line with the template of a URL, then a line for each input: its type, a space, its value.
struct InputURLTarget: FuzzTarget {
    private static let names = ["a", "b", "c"]
    private static let separator: UInt8 = 0x0A
    /// `enum` and `pattern` stand for identifiers that the author limits.
    private static let types = ["identifier", "hostname", "host_path", "text", "enum", "pattern"]
    private static let allowed = ["eu", "co.uk", "acme.example"]

    private let values: ByteMutator
    private let whole: ByteMutator
    /// Whether the URL is filled as it was before the engine compared templates with the types of inputs.
    private let isEarlier: Bool

    init(corpus: [[UInt8]]) { self.init(corpus: corpus, isEarlier: false) }

    init(corpus: [[UInt8]], isEarlier: Bool) {
        self.isEarlier = isEarlier
        values = ByteMutator(
            seeds: [
                "evil.test", "evil.test/x", "evil.test:8443", "evil", "evil.", "-evil", "[::1]", "127.0.0.1", "443",
                "1",
                "eu", "co.uk", "acme.example", "https://evil.test", "https://evil.test/x/", "evil.test?", "evil.test#",
                "evil.test@",
                "@evil.test",
                "x:y@evil.test", "evil.test\\", "%2f", "..", "xn--e-1.test",
            ].map { Array($0.utf8) },
            words: ["/", "?", "#", "@", ":", "\\", ".", "%2f", "evil.test", "//", "é", "\t", "[", "]", "。"])
        whole = ByteMutator(
            seeds: corpus,
            words: ["{a}", "{b}", "{c}", "{issuer}", "{urlencode(input.a)}", "{a|x}", "/", ".", ":", "https://"])
    }

    private static let pieces = [
        "{a}", "{b}", "{c}", "{a}", "{b}", "{input.a}", "{a|x}", "{lower(input.b)}", "{urlencode(input.a)}",
        "{map(a, 'zones')}", "{callback.shop}", ".", ".", "-", ":", "/", "/", "?x=", "acme", "acme.example",
        ".acme.example",
        ".example", "443", "[", "]",
    ]

    func input(_ random: inout SplitMix64) -> [UInt8] {
        if random.once(in: 4) { return whole.input(&random) }
        let start = random.pick(["https://", "https://", "https://", "https://", "", "{issuer}", "http://", "/"])
        let template = start + (0..<random.below(7)).map { _ in random.pick(Self.pieces) }.joined()
        var lines = [Array(template.utf8)]
        for _ in Self.names {
            let value =
                random.once(in: 2)
                ? values.input(&random) : Array(random.pick(["evil.test", "evil", "evil.test/x"]).utf8)
            lines.append(Array("\(random.pick(Self.types)) ".utf8) + value.filter { $0 != Self.separator })
        }
        return Array(lines.joined(separator: [Self.separator]))
    }

    func check(_ bytes: [UInt8], index: Int) throws(InputCheck.Violation) {
        let lines = bytes.split(separator: Self.separator, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        var (types, values): ([String: String], [String: String]) = ([:], [:])
        for (name, line) in zip(Self.names, lines.dropFirst()) {
            let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            types[name] = Self.types.contains(parts[0]) ? parts[0] : "text"
            values[name] = parts.count == 2 ? parts[1] : ""
        }
        for name in Self.names where types[name] == nil { (types[name], values[name]) = ("identifier", "x") }
        let template = lines[0]
        for place in Place.allCases {
            guard let descriptor = Self.descriptor(place, template, types) else { continue }
            let issuer = "https://{a}.issuer.example"
            let written = template.replacing("{issuer}", with: issuer)
            let model = AuthorityModel(place.isHost ? "https://" + written : written, types: types, values: values)
            let requested = isEarlier ? Self.filled(written, descriptor, values) : Self.requested(descriptor, values)
            for url in requested {
                try model.check(url)
            }
        }
    }

    private enum Place: CaseIterable {
        case endpoint, resource, base, host

        var isHost: Bool { self == .host }
    }

    private static func quoted(_ text: String) -> String? {
        // No descriptor has these: YAML refuses them.
        text.unicodeScalars.contains { $0.value < 0x20 } ? nil : "'" + text.replacing("'", with: "''") + "'"
    }

    private static func descriptor(
        _ place: Place, _ template: String, _ types: [String: String]
    ) -> ProviderDescriptor? {
        guard let url = quoted(template) else { return nil }
        let inputs = names.map { name in
            switch types[name] {
            case "enum": "  \(name): { enum: [\(allowed.joined(separator: ", "))] }"
            case "pattern": "  \(name): { pattern: '[a-z]+' }"
            case let type: "  \(name): { type: \(type ?? "identifier") }"
            }
        }
        let key =
            switch place {
            case .endpoint: "endpoints: { token: \(url) }"
            case .resource: "resources: [{ title: T, url: \(url) }]"
            case .base: "api: { base_url: \(url) }\nresources: [{ title: T, url: /x }]"
            case .host: "api: { hosts: [\(url)] }"
            }
        let text = """
            carnet: 1
            id: acme
            name: Acme
            inputs:
            \(inputs.joined(separator: "\n"))
            issuer: 'https://{a}.issuer.example'
            callback: { capture: { shop: { pattern: '.*' } } }
            tables: { zones: { eu: eu.acme.example, evil: acme.example } }
            \(key)

            """
        return DescriptorDocument(SourceFile(path: "acme.yaml", bytes: Array(text.utf8))).descriptor
    }

    /// The text of the template with values that fit the types of their inputs, if it is a URL.
    private static func filled(_ template: String, _ descriptor: ProviderDescriptor, _ given: [String: String])
        -> [String]
    {
        let isRefused = names.contains { name in
            descriptor.inputs[name].flatMap { $0.refusal(of: given[name] ?? "") } != nil
        }
        guard !isRefused else { return [] }
        let text = names.reduce(template) { $0.replacing("{\($1)}", with: given[$1] ?? "") }
        return (try? WebURL(text)).map { [$0.text] } ?? []
    }

    /// The URLs that requests with a credential could go to.
    private static func requested(_ descriptor: ProviderDescriptor, _ given: [String: String]) -> [String] {
        guard let resolved = try? descriptor.resolve(inputs: given) else { return [] }
        let provider = resolved.withoutMetadata.bound
        return [provider.endpoints[.token]?.text].compactMap { $0 } + provider.resources.map(\.url)
            + provider.api.hosts.map { "https://\($0)/" }
    }
}

/// What the authority of a URL may be, by the template and the values: written for this check, with nothing of the engine.
private struct AuthorityModel {
    /// Whose text a byte of the authority is.
    private enum Source { case author, sender, senderOfHost }

    private var authority: [(byte: UInt8, source: Source)] = []
    /// Whether a value has what ends an authority.
    private var isCut = false
    /// Whether the model says anything: the authority is made of text and inputs alone.
    private var isKnown = true

    init(_ template: String, types: [String: String], values: [String: String]) {
        guard let start = template.firstRange(of: "://") else {
            isKnown = false
            return
        }
        var rest = template[start.upperBound...]
        while let character = rest.first, !"/?#".contains(character) {
            guard character == "{" else {
                authority += String(character).utf8.map { ($0, .author) }
                rest = rest.dropFirst()
                continue
            }
            guard let end = rest.firstIndex(of: "}") else { break }
            let name = String(rest[..<end].dropFirst()).replacing("input.", with: "").prefix { $0 != "|" }
            rest = rest[rest.index(after: end)...]
            guard let type = types[String(name)], var value = values[String(name)] else {
                isKnown = false
                return
            }
            if type.hasPrefix("host") {
                if value.lowercased().hasPrefix("https://") { value = String(value.dropFirst("https://".count)) }
                if value.hasSuffix("/") { value = String(value.dropLast()) }
            }
            let isWhole = authority.isEmpty && (rest.isEmpty || rest.first == "/" || rest.first == "?")
            if type == "host_path", isWhole { value = String(value.prefix { $0 != "/" }) }
            if value.contains(where: { "/?#@\\".contains($0) }) { isCut = true }
            let source: Source =
                switch type {
                case "enum", "pattern": .author
                case "hostname", "host_path": .senderOfHost
                default: .sender
                }
            authority += value.utf8.map { ($0, source) }
        }
        // A path below it would become the authority, with any text.
        if authority.isEmpty { isKnown = false }
    }

    /// The authority of a URL as RFC 3986, section 3.2 and browsers read it.
    private static func authority(of url: String) -> String? {
        let bytes = Array(url.utf8)
        guard let slashes = bytes.indices.first(where: { bytes[$0...].starts(with: "://".utf8) }) else { return nil }
        let authority = bytes[(slashes + 3)...].prefix { !"/?#\\".utf8.contains($0) }
        let host = authority.lastIndex(of: UInt8(ascii: "@")).map { authority[($0 + 1)...] } ?? authority
        return String(decoding: host, as: UTF8.self).lowercased()
    }

    func check(_ url: String) throws(InputCheck.Violation) {
        guard isKnown else { return }
        try require(!isCut, "a value ends the host of \(url)")
        let expected = String(decoding: authority.map(\.byte), as: UTF8.self).lowercased()
        let filled = Self.authority(of: url)
        try require(filled == expected, "\(url) is at \(filled ?? "nothing"), and not at \(expected)")
        // The host without port, in labels.
        let host = authority.prefix { $0.byte != UInt8(ascii: ":") || authority.first?.byte == UInt8(ascii: "[") }
        guard host.contains(where: { $0.source == .author && $0.byte != UInt8(ascii: ".") }) else { return }
        let labels = host.split { $0.byte == UInt8(ascii: ".") }
        // A host input at the end says that its host is the sender's.
        guard let last = labels.last, last.last?.source != .senderOfHost else { return }
        try require(last.allSatisfy { $0.source == .author }, "a value chooses the end of the host of \(url)")
        if labels.count > 1 {
            let second = labels[labels.count - 2]
            let isMixed = second.contains { $0.source == .author } && second.contains { $0.source != .author }
            try require(!isMixed, "a value chooses a part of the domain of \(url)")
        }
    }
}
