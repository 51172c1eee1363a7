import CarnetDescriptors
import CarnetFoundation

/// A version of a descriptor as the engine resolves it for one registration.
struct ResolvedVersion {
    private let descriptor: ProviderDescriptor
    let provider: Provider
    /// All keys with their defaults, and requests with what they inherit.
    private(set) var json = JSONObject()
    private let values: [Named<String>]

    /// - Throws: `ResolutionError`.
    init(_ descriptor: ProviderDescriptor, _ inputs: [String: String]) throws(ResolutionError) {
        self.descriptor = descriptor
        let provider = try descriptor.resolve(inputs: inputs, clientID: "x.client")
        self.provider = provider
        // The longest value first, and of equal ones that of the first name.
        let named = provider.inputs.map { Named($0.key, $0.value) }.sorted {
            ($1.value.utf8.count, $0.name) < ($0.value.utf8.count, $1.name)
        }
        values = named + (provider.issuer.map { [Named("issuer", $0)] } ?? [])
        json = provider.json.object ?? json
        let inherited = ["method", "body", "headers", "rename", "omit", "query_parameters", "encode", "response"]
        for section in Self.requests {
            guard case .object(var form)? = json[section] else { continue }
            for key in inherited where section == "refresh" && form[key] == nil { form[key] = json["token"]?[key] }
            if case .object(var response)? = form["response"], let root = response["root"]?.string {
                var fields = JSONObject()
                for field in response["fields"]?.object?.members ?? [] {
                    fields[field.name] = .array((field.value.array ?? []).map { .string(root + ($0.string ?? "")) })
                }
                response["fields"] = .object(fields)
                response["root"] = nil
                form["response"] = .object(response)
            }
            if form["rotation"] == "unknown" { form["rotation"] = "keep_old" }
            if form["tokens"] == nil, form["token_in"] != nil { form["tokens"] = ["access_token"] }
            if section == "api" { form["base_url"] = descriptor.api.baseURL.map { .string(url($0)) } }
            json[section] = .object(form)
        }
    }

    /// A URL with the inputs in it, in its usual form, below the base URL if it starts with `/`.
    func url(_ template: Template) -> String {
        let text = values.reduce(template.source.replacing("{input.", with: "{")) {
            $0.replacing("{\($1.name)}", with: $1.value)
        }
        if text.hasPrefix("/"), let base = descriptor.api.baseURL { return url(base) + text }
        guard let scheme = text.firstRange(of: "://") else { return text }
        let end = text[scheme.upperBound...].firstIndex { "/?".contains($0) } ?? text.endIndex
        return Self.withoutPort(text[..<end].lowercased()) + text[end...]
    }

    /// The issuers of a template, with claims in its places.
    func issuers(_ template: Template, _ claims: NamedList<String>) -> String {
        claims.items.reduce(url(template)) { $0.replacing("{\($1.name)}", with: "{\($1.value)}") }
    }

    private static func withoutPort(_ origin: String) -> String {
        let port = origin.hasPrefix("https:") ? ":443" : ":80"
        return origin.hasSuffix(port) ? String(origin.dropLast(port.count)) : origin
    }

    /// Places as a message names them.
    func hosts(_ places: Set<String>) -> String {
        named(places.sorted().map { Self.withoutPort($0).split(separator: "/").last.map(String.init) ?? $0 }.inWords)
    }

    /// A text with the names of inputs for the samples that were made for them. Other samples can be texts of the descriptor.
    func named(_ text: String) -> String {
        values.reduce(text) { $1.value.hasPrefix("x.") ? $0.replacing($1.value, with: "{\($1.name)}") : $0 }
    }

    /// The value of a key as text.
    func value(_ path: [String]) -> String? {
        let value = path.reduce(JSONValue.object(json)) { $0[$1] ?? .null }
        return value.isNull ? nil : value.shown
    }

    /// The sections about requests with tokens that exist.
    static let requests = ["refresh", "revocation", "introspection", "logout", "api"]
}

extension InputRules {
    var isRequired: Bool { !isOptional && defaultValue == nil }

    /// A few values that another version accepts, too, if some are found. One is enough if it is no example or default, and
    /// others are allowed: so a text of the one version is not taken for an input of the other.
    func samples(for other: InputRules?, areMade: Bool = true) -> [String] {
        let plain = texts + ["a.example"]
        let made = areMade && allowed.isEmpty ? plain.flatMap { ["x.\($0)", "\($0)x"] } : []
        let own = (made + plain + (other?.texts ?? [])).filter { refusal(of: $0) == nil }
        let common = own.filter { value in other.flatMap { $0.refusal(of: value) } == nil }
        let found = !common.isEmpty ? common : own.isEmpty ? plain : own
        return Array(found.prefix(made.containsBytes(of: found[0]) ? 1 : 8))
    }

    private var texts: [String] {
        (allowed.isEmpty ? listed ?? [] : allowed).prefix(8)
            + [example, defaultValue?.source, pattern?.shortestValue].compactMap { $0 }
    }
}

/// A key that has another value.
struct Difference {
    let path: [String]
    let was: JSONValue
    let now: JSONValue

    /// Whether requests with tokens that exist are the same: there is only a further header, alternative or error code.
    var isHarmless: Bool {
        let keys = zip([""] + path, path).filter { !Self.free.contains($0.0) }.map(\.1)
        if keys.contains(where: Self.unimportant.contains) || was.isNull && path.count > 2 { return true }
        if path.contains(where: ["codes", "statuses"].contains), path.contains("errors") {
            return ![was, now].contains { ["invalid_grant", "invalid_token"].contains($0) }
        }
        if path.contains("rename"), ["code", "redirect_uri", "code_verifier"].contains(path.last) { return true }
        guard let was = was.array, !was.isEmpty, let now = now.array else { return false }
        return ["omit", "tokens"].contains(path.last) ? Set(was) == Set(now) : now.starts(with: was)
    }

    /// Whether a credential stands in one of the versions, which no message prints.
    var isHidden: Bool {
        guard path.contains(where: ["headers", "parameters"].contains) else { return false }
        return SecretText.isSecretName(path.last ?? "") || [was, now].contains { SecretText.isCredential($0.shown) }
    }

    /// Below these, the names are those of the provider.
    fileprivate static let free = ["codes", "encode", "headers", "parameters", "rename", "statuses"]
    private static let unimportant = [
        "because", "base_url", "capture", "error", "error_description", "error_uri", "expiry_from", "front_channel",
        "hosts", "id_token", "jwt", "margin", "missing_exp", "scope_separator", "token_sets",
    ]
}

extension JSONValue {
    /// The defaults of the keys of a request.
    private static let defaults: [String: JSONValue] = [
        "method": "POST", "body": "form", "grant_type": "refresh_token", "tokens": ["refresh_token", "access_token"],
        "headers": [:], "parameters": [:], "rename": [:], "encode": [:],
    ]

    func differences(to other: JSONValue, at path: [String] = []) -> [Difference] {
        switch (self, other) {
        case (.object(let was), .object(let now)):
            func key(_ name: String) -> ByteKey { ByteKey(path.last == "headers" ? name.lowercased() : name) }
            func values(_ object: JSONObject) -> [ByteKey: JSONValue] {
                Dictionary(object.members.map { (key($0.name), $0.value) }, uniquingKeysWith: { first, _ in first })
            }
            let (before, after) = (values(was), values(now))
            let names = was.members.map(\.name) + now.members.map(\.name).filter { before[key($0)] == nil }
            let isFree = Difference.free.contains(path.last ?? "")
            return names.flatMap { name in
                let implied = path.last == "rename" ? .string(name) : isFree ? .null : Self.defaults[name] ?? .null
                return (before[key(name)] ?? implied).differences(to: after[key(name)] ?? implied, at: path + [name])
            }
        case (.array, .array) where ListedRequest.lists.contains(path):
            return differences(ofRequestsTo: other, at: path)
        case (.array(let was), .array(let now)) where was.count == now.count && was.contains { $0.object != nil }:
            return was.indices.flatMap { was[$0].differences(to: now[$0], at: path + ["\($0)"]) }
        default: return shown.isSameBytes(as: other.shown) ? [] : [Difference(path: path, was: self, now: other)]
        }
    }

    /// The value in a message.
    var shown: String {
        switch self {
        case .null, .array([]): "nothing"
        case .object(let object) where object.members.isEmpty: "nothing"
        default: scalarText ?? jsonText()
        }
    }
}
