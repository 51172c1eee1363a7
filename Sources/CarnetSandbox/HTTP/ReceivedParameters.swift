import CarnetDescriptors
import CarnetFoundation

/// The parameters of a request as they arrived, repeated ones included.
struct ReceivedParameters {
    private(set) var pairs: [(name: String, value: String)]
    /// The values as they were written, where they came in a form or a query; in the order of the pairs.
    private let written: [Substring]
    /// The members of a JSON body that are no strings.
    private var values: [String: JSONValue] = [:]

    init(_ pairs: [(name: String, value: String)]) {
        self.pairs = pairs
        written = []
    }

    /// Reads `application/x-www-form-urlencoded` text.
    init(form: some StringProtocol) throws(OAuthError) {
        var pairs: [(name: String, value: String)] = []
        var written: [Substring] = []
        for part in form.split(separator: "&", omittingEmptySubsequences: true) {
            let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decode(halves[0]),
                let value = PercentEncoding.decode(halves.count == 2 ? halves[1] : "")
            else { throw .invalidRequest("\"\(part.prefix(40))\" is not correctly percent-encoded UTF-8") }
            pairs.append((name, value))
            written.append(halves.count == 2 ? Substring(halves[1]) : "")
        }
        self.pairs = pairs
        self.written = written
    }

    /// Reads the same where values are sent as they are, so that a plus sign is no space.
    init(raw text: String) throws(OAuthError) { try self.init(form: text.replacing("+", with: "%2B")) }

    init(form bytes: [UInt8]) throws(OAuthError) {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .invalidRequest("the body is not UTF-8")
        }
        try self.init(form: text)
    }

    /// Reads a JSON object. What is no string must be what a descriptor says.
    init(json bytes: [UInt8]) throws(OAuthError) {
        let value = try translating(
            { (error: JSONError) in OAuthError.invalidRequest("the body is not JSON: \(error)") },
            try JSONValue(parsing: bytes, maximumDepth: 8))
        guard let object = value.object else { throw .invalidRequest("the body is not a JSON object") }
        var pairs: [(name: String, value: String)] = []
        for member in object.members {
            if let texts = member.value.array?.compactMap(\.string), texts.count == member.value.array?.count {
                // A parameter that a form repeats is a list in JSON.
                pairs += texts.map { (member.name, $0) }
            } else {
                pairs.append((member.name, member.value.string ?? member.value.jsonText()))
            }
        }
        self.init(pairs)
        for member in object.members where member.value.string == nil { values[member.name] = member.value }
    }

    /// With the parameters of a query.
    func adding(_ query: ReceivedParameters) -> ReceivedParameters {
        var all = ReceivedParameters(pairs + query.pairs)
        all.values = values
        return all
    }

    /// The value; `nil` if the parameter is absent or empty (RFC 6749, section 3.1: empty is as if omitted).
    subscript(name: String) -> String? { pairs.first { $0.name.isSameBytes(as: name) && !$0.value.isEmpty }?.value }

    /// The values of a parameter that may be repeated.
    func values(named name: String) -> [String] { pairs.filter { $0.name.isSameBytes(as: name) }.map(\.value) }

    /// Whether the parameter was sent at all, empty or not.
    func contains(_ name: String) -> Bool { pairs.contains { $0.name.isSameBytes(as: name) } }

    /// Checks what holds for every request of a section: nothing twice, nothing that is to be left out, all that the
    /// descriptor adds.
    func check(
        _ names: ParameterNames, added: [Named<String>], mayRepeat: Set<String> = []
    ) throws(OAuthError) {
        let listed = names.encode.items.filter { $0.value == .repeated }.map(\.name)
        let repeatable = Set(mayRepeat.map { names[$0] } + listed)
        var seen = Set<[UInt8]>()
        for (name, _) in pairs where !repeatable.contains(name) && !names.json.contains(name) {
            guard seen.insert(Array(name.utf8)).inserted else {
                throw .invalidRequest("the parameter \(name) is sent more than once")
            }
        }
        for (name, value) in values
        where !names.json.contains(name) && !(value.array != nil && repeatable.contains(name)) {
            throw .invalidRequest("the JSON member \(name) is not a string")
        }
        for standard in names.omitted where contains(names[standard]) && !added.contains(where: { $0.name == standard })
        {
            throw .invalidRequest("the parameter \(names[standard]) must be left out")
        }
        for item in added {
            if names.encode[item.name] == .repeated, let list = (try? JSONValue(parsing: item.value))?.array {
                guard values(named: item.name) == list.compactMap(\.scalarText) else {
                    throw .invalidRequest("the parameter \(item.name) must be sent once for each of \(item.value)")
                }
            } else if names.json.contains(item.name), let value = values[item.name] {
                guard value.jsonText().isSameBytes(as: item.value) else {
                    throw .invalidRequest(
                        "the JSON member \(item.name) is \(value.jsonText()); it must be \(item.value)")
                }
            } else if let value = self[item.name] {
                guard value.isSameBytes(as: item.value) else {
                    throw .invalidRequest(
                        "the parameter \(item.name) is \"\(value)\"; it must be \"\(item.value)\"")
                }
            } else if !item.value.isEmpty {
                // Empty is as if omitted.
                throw .invalidRequest("the parameter \(item.name)=\(item.value) is missing")
            }
        }
    }

    /// A parameter that must be there, by its standard name.
    func require(_ standard: String, _ names: ParameterNames) throws(OAuthError) -> String {
        let name = names[standard]
        if let value = self[name] { return value }
        let hint = name != standard && contains(standard) ? "; it is called \(name) here, not \(standard)" : ""
        throw .invalidRequest("the parameter \(name) is missing\(hint)")
    }

    /// Reads values again that are encoded in a way of their own, and demands just that way.
    mutating func decode(_ names: ParameterNames) throws(OAuthError) {
        guard !written.isEmpty else { return }
        for item in names.encode.items {
            guard let index = pairs.firstIndex(where: { $0.name == names[item.name] }) else { continue }
            // A raw + is a plus sign, in all other encodings a space.
            let sent = String(written[index])
            let text = item.value == .raw ? sent.replacing("+", with: "%2B") : sent
            guard let value = PercentEncoding.decode(text),
                PercentEncoding.encode(value, as: item.value).isSameBytes(as: sent)
            else {
                throw .invalidRequest("the parameter \(names[item.name]) is not in the encoding \(item.value.rawValue)")
            }
            pairs[index].value = value
        }
    }
}

/// What a descriptor calls the standard's parameters, and which it leaves out.
struct ParameterNames {
    let rename: NamedList<String>
    let omitted: [String]
    let encode: NamedList<ParameterEncoding>
    /// Those whose text is JSON.
    let json: Set<String>

    init(_ rules: ResolvedRequest) {
        (rename, omitted, encode, json) = (rules.rename, rules.omit, rules.encode, rules.json)
    }

    init(_ rules: ResolvedAuthorization) {
        (rename, omitted, encode, json) = (rules.rename, rules.omit, rules.encode, [])
    }

    subscript(standard: String) -> String { rename[standard] ?? standard }

    func omits(_ standard: String) -> Bool { omitted.contains(standard) }
}
