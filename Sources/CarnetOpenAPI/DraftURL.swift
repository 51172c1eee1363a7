import CarnetDescriptors
import CarnetFoundation
import CarnetLint

/// A URL of a description as a descriptor can have it: complete, and with inputs in place of variables of servers.
struct DraftURL {
    let text: String
    /// With a value for each.
    private(set) var inputs: [(name: String, rules: String, value: String)] = []
    /// Why it is a guess.
    private(set) var remark: String?
    /// Why Carnet sends no requests to it.
    let problem: String?
    private let written: String
    private let variables: YAMLNode?
    private let title: String?

    /// - Parameter base: What a relative URL is below (OpenAPI 3.2, section 4.6.1).
    init(_ written: String, below base: DraftURL?, _ variables: YAMLNode? = nil, title: String? = nil) {
        (self.written, self.variables, self.title) = (written, variables, title)
        var text = written
        var reasons: [String] = []
        // Many places for a long value would make the URL as long as a file.
        let isPlain = written.utf8.count { $0 == UInt8(ascii: "{") } <= 16
        let all = isPlain ? (variables ?? base?.variables)?.entries?.prefix(16) ?? [] : []
        var names = all.map(\.key)
        for variable in all where text.utf8.count < 4096 && variable.key.utf8.count < 256 {
            var name = variable.key.inputName
            if !name.isSameBytes(as: variable.key) {
                while names.contains(where: name.isSameBytes) { name += "_2" }
                names.append(name)
            }
            let listed = (variable.value.entry("enum")?.value.elements ?? []).prefix(50).compactMap(\.scalar?.text)
                .filter { $0.utf8.count < 256 }
            let value = variable.value.text("default") ?? listed.first ?? ""
            guard let place = text.firstRange(of: "{\(variable.key)}"), value.utf8.count < 256, !value.contains("{")
            else { continue }
            let (before, after) = (text[..<place.lowerBound], text[place.upperBound...])
            if let rules = Self.rules(variable.value, value, listed, before, after) {
                inputs.append((name, rules, value))
                text = text.replacing("{\(variable.key)}", with: "{\(name)}")
            } else {
                text = text.replacing("{\(variable.key)}", with: value)
                reasons.append("the default of the variable \(variable.key)")
            }
        }
        if !inputs.isEmpty { reasons.append("the variables of the server") }
        if text.firstRange(of: "://") == nil {
            text = Self.resolved(text, base?.text)
            inputs += base?.inputs ?? []
            if base != nil { reasons.append("\(written) below the server") }
        }
        self.text = text
        remark = reasons.isEmpty ? nil : "guessed: " + (reasons.joined(separator: ", ").oneLine(limit: 160) ?? "")
        let filled = inputs.reduce(text) { $0.replacing("{\($1.name)}", with: $1.value) }
        let name = filled.firstIndex(of: "{").map { filled[$0...].prefix { $0 != "}" }.dropFirst() }
        problem =
            filled.firstRange(of: "://") == nil
            ? "it is relative, and no server of the document has a host"
            : name.map { isPlain ? "no server has the variable \($0)" : "it has more than 16 variables" }
                ?? Self.refusal(of: filled)
    }

    private static func refusal(of url: String) -> String? {
        do throws(WebURLError) {
            try WebURL.check(url)
            return nil
        } catch {
            return error.reason
        }
    }

    /// The URL of a path below a server.
    func appending(_ path: String) -> DraftURL { DraftURL(written.withoutLastSlash + path, below: nil, variables) }

    /// - Returns: The rules of an input for a variable; `nil` if a descriptor cannot let the host choose the value.
    private static func rules(
        _ variable: YAMLNode, _ value: String, _ listed: [String], _ before: Substring, _ after: Substring
    ) -> String? {
        let host = before.firstRange(of: "://").map { before[$0.upperBound...] }
        let isInHost = host.map { !$0.contains("/") } ?? false
        let isWhole = host?.isEmpty == true && (after.first ?? "/") == "/"
        // A value of any form before fewer labels would choose whose host it is.
        let labels = after.prefix { $0 != "/" }.split(separator: ".")
        let isLimited = !isInHost || isWhole || !listed.isEmpty || labels.count > 1
        let values = listed.contains { $0.isSameBytes(as: value) } || listed.isEmpty ? listed : [value] + listed
        guard host != nil || before.hasPrefix("/"), isLimited, !before.hasSuffix(":"),
            (values + [value]).allSatisfy({ value in
                !value.allSatisfy { $0 == "." }
                    && value.utf8.allSatisfy { ASCII.isUnreserved($0) || isWhole && $0 == UInt8(ascii: ":") }
            })
        else { return nil }
        let title = variable.text("description")?.oneLine(limit: 60)
        let rules: KeyValuePairs = ["type": isWhole ? "hostname" : nil, "title": title, "default": value]
        return input(rules, values, "a variable of the server")
    }

    /// A reference against a URL (RFC 3986, section 5.2).
    private static func resolved(_ reference: String, _ base: String?) -> String {
        if reference.hasPrefix("//") { return "https:" + reference }
        guard let base, let mark = base.firstRange(of: "://") else { return reference }
        let origin = base.prefix(upTo: base[mark.upperBound...].firstIndex(of: "/") ?? base.endIndex)
        // Braces of inputs are no part of a URL.
        let texts = [reference, "https://h" + base[origin.endIndex...]].map {
            $0.replacing("{", with: "%7B").replacing("}", with: "%7D")
        }
        let url = URL(string: texts[0], relativeTo: URL(string: texts[1]))?.absoluteString ?? ""
        guard url.hasPrefix("https://h/") else { return reference }
        return origin + String(url.dropFirst(9)).replacing("%7B", with: "{").replacing("%7D", with: "}")
    }

    /// Those of a description or an operation: first those that requests go to, and of these first those not for tests.
    /// Of an operation, only the first counts: the others are read until it is found.
    static func servers(_ document: OpenAPIDocument, _ own: YAMLNode? = nil) -> [DraftURL] {
        if document.isSwagger {
            let server = ServerReader.readSwagger(document)
            return server.flatMap { base in base.origin.map { [DraftURL($0 + base.path, below: nil)] } } ?? []
        }
        let nodes = (own ?? document.root.entry("servers")?.value)?.elements ?? []
        var servers: [(url: DraftURL, rank: Int)] = []
        for node in nodes.prefix(ServerReader.mostServers) where own == nil || servers.last?.rank != 0 {
            guard let text = node.text("url"), text.utf8.count < 4096 else { continue }
            let title = node.text("description")?.oneLine(limit: 60)
            let url = DraftURL(text, below: nil, node.entry("variables")?.value, title: title)
            servers.append((url, url.problem != nil ? 2 : url.isTest ? 1 : 0))
        }
        return (0...2).flatMap { rank in servers.filter { $0.rank == rank }.map(\.url) }
    }

    /// What a comment says about the choice of a server.
    func remark(besides others: ArraySlice<DraftURL>) -> String? {
        guard !others.isEmpty else { return remark }
        let list = others.map { $0.text + ($0.title.map { " (\($0))" } ?? "") }.joined(separator: ", ")
        return "\(remark ?? "guessed: one of several servers"); others: \(list.oneLine(limit: 200) ?? "")"
    }

    private static let words = [
        "sandbox", "staging", "test", "testing", "dev", "development", "demo", "mock", "localhost",
    ]

    private var isTest: Bool {
        let labels = ServerBase(text)?.host?.split(separator: ".") ?? []
        // The last label says nothing, unless it is the only one.
        let name = labels.dropLast(labels.count > 1 ? 1 : 0).joined(separator: ".")
        return "\(title ?? "") \(name)".lowercased().split { !$0.isLetter }.contains { Self.words.contains(String($0)) }
    }

    /// The rules of an input in YAML, as a guess.
    static func input(
        _ rules: KeyValuePairs<String, String?>, _ allowed: [String], isSecret: Bool = false, _ remark: String
    ) -> String {
        let list = allowed.map(YAMLText.plainOrQuoted).joined(separator: ", ")
        let entries =
            rules.compactMap { key, value in value.map { "\(key): \(YAMLText.plainOrQuoted($0))" } }
            + (allowed.isEmpty ? [] : ["enum: [\(list)]"]) + (isSecret ? ["secret: true"] : [])
        return "{ \(entries.joined(separator: ", ")) } # guessed: \(remark)"
    }
}

extension String {
    var withoutLastSlash: String { hasSuffix("/") ? String(dropLast()) : self }

    /// A name of the document as that of an input.
    var inputName: String {
        let bytes = lowercased().utf8.map { ASCII.isAlphanumeric($0) ? $0 : UInt8(ascii: "_") }
        let name = String(decoding: bytes, as: UTF8.self)
        // In a descriptor, {issuer} stands for another value.
        return name == "issuer" || name.utf8.first.map(ASCII.isLetter) != true ? "input_\(name)" : name
    }
}
