import CarnetDescriptors
import CarnetFoundation

/// The parameters of one request, in order. Each records whether it is secret.
struct RequestParameters {
    struct Parameter {
        /// The protocol's name, which a descriptor uses.
        var standardName: String
        var name: String
        var value: String
        var isSecret: Bool
        var encoding: ParameterEncoding

        /// The redacted value.
        var shownValue: String { isSecret ? Secret(value).description : value }
    }

    private(set) var step: OAuthError.Step
    /// `nil` for a request that no standard defines.
    private(set) var kind: RequestKind?
    /// The descriptor section that controls the request, e.g. `token`.
    let section: String
    private let rename: NamedList<String>
    private let omit: [String]
    private let encode: NamedList<ParameterEncoding>
    private(set) var items: [Parameter] = []
    /// Those that the descriptor leaves out, which a header may have.
    private var omitted: [Parameter] = []
    private var hidden: [Secret] = []
    private var hidesInURL = false

    /// The parameters of a request that only a descriptor defines, if there is no kind.
    init(
        _ step: OAuthError.Step, _ kind: RequestKind? = nil, section: String, rename: NamedList<String> = NamedList(),
        omit: [String] = [], encode: NamedList<ParameterEncoding> = NamedList()
    ) {
        self.step = step
        self.kind = kind
        self.section = section
        self.rename = rename
        self.omit = omit
        self.encode = encode
        items.reserveCapacity(12)
    }

    /// The parameters of a standard's request.
    init(_ step: OAuthError.Step, _ kind: RequestKind, _ rules: ResolvedRequest) {
        self.init(step, kind, section: kind.section, rename: rules.rename, omit: rules.omit, encode: rules.encode)
    }

    /// The parameters of an authorization request.
    init(_ rules: ResolvedAuthorization) {
        self.init(
            .authorization, .authorization, section: RequestKind.authorization.section, rename: rules.rename,
            omit: rules.omit, encode: rules.encode)
    }

    /// Adds a parameter of the protocol under the provider's name for it, unless the descriptor leaves it out.
    mutating func add(_ parameter: StandardParameter, _ value: String) throws(OAuthError) {
        try add(parameter, value, isSecret: false)
    }

    mutating func add(_ parameter: StandardParameter, _ secret: Secret) throws(OAuthError) {
        try add(parameter, secret.reveal(), isSecret: true)
    }

    /// Adds the grant type of the standard, or the provider's own name for it.
    mutating func addGrantType(_ own: String?) throws(OAuthError) {
        if let type = own ?? kind?.grantType { try add(.grantType, type) }
    }

    private mutating func add(_ parameter: StandardParameter, _ value: String, isSecret: Bool) throws(OAuthError) {
        assert(kind?.sends(parameter) == true, "\(parameter) is not in the catalogue of \(section)")
        let name = parameter.rawValue
        guard !omit.contains(name) else {
            omitted.append(
                Parameter(standardName: name, name: name, value: value, isSecret: isSecret, encoding: .percent))
            return
        }
        try append(name, rename[name] ?? name, value, isSecret: isSecret)
    }

    /// Adds parameters beyond the protocol's; they can neither repeat nor replace one of those.
    ///
    /// - Parameter hidden: The names of secret parameters.
    mutating func addExtra(_ parameters: [Named<String>], key: String, hidden: Set<String> = []) throws(OAuthError) {
        for parameter in parameters {
            let name = parameter.name
            let listed = encode[name] == .repeated ? try? JSONValue(parsing: parameter.value) : nil
            let values = listed?.array.map { $0.compactMap(\.scalarText) } ?? [parameter.value]
            guard let first = values.first else { continue }
            try append(name, name, first, isSecret: hidden.contains(name), key: "\(key).\(name)")
            addAgain(values.dropFirst(), as: name)
        }
    }

    /// Adds a parameter once for each value, as `resource` and `audience` may be (RFC 8707, section 2; RFC 8693, 2.1).
    mutating func add(_ parameter: StandardParameter, each values: [String]) throws(OAuthError) {
        guard let first = values.first else { return }
        try add(parameter, first)
        addAgain(values.dropFirst(), as: parameter.rawValue)
    }

    private mutating func addAgain(_ values: ArraySlice<String>, as name: String) {
        guard let index = items.firstIndex(where: { $0.standardName.isSameBytes(as: name) }) else { return }
        for value in values {
            var item = items[index]
            item.value = value
            items.append(item)
        }
    }

    /// Adds the resource servers of a sign-in, unless the descriptor names the request's own.
    mutating func addResources(_ resources: [String], besideThoseOf rules: ResolvedRequest) throws(OAuthError) {
        let standard = StandardParameter.resource.rawValue
        let name = rename[standard] ?? standard
        guard !rules.parameters.contains(where: { $0.name.isSameBytes(as: name) }) else { return }
        try add(.resource, each: resources)
    }

    /// Adds the access token as a parameter of the query.
    mutating func addToken(_ token: Secret, named name: String) throws(OAuthError) {
        try append(name, name, token.reveal(), isSecret: true, key: "api.token_in")
    }

    private mutating func append(
        _ standardName: String, _ name: String, _ value: String, isSecret: Bool, key: String? = nil
    ) throws(OAuthError) {
        guard !items.indices.contains(where: { items[$0].name.isSameBytes(as: name) }) else {
            throw OAuthError(
                step, .reservedParameter, "the parameter \"\(name)\" is sent twice",
                descriptorKey: key ?? "\(section).rename")
        }
        items.append(
            Parameter(
                standardName: standardName, name: name, value: value, isSecret: isSecret,
                encoding: encode[standardName] ?? .percent))
    }

    /// Some of the parameters for another request.
    func copy(for step: OAuthError.Step, _ kind: RequestKind?, of isKept: (Parameter) -> Bool) -> RequestParameters {
        var copy = self
        (copy.step, copy.kind, copy.items) = (step, kind, items.filter(isKept))
        return copy
    }

    /// Copies a parameter of another request.
    mutating func repeatItem(_ item: Parameter) throws(OAuthError) {
        try append(item.standardName, item.name, item.value, isSecret: item.isSecret)
    }

    /// The parameters without those that the URL's own query has already, with the same value: some servers announce an
    /// endpoint with `resource` in it.
    func besides(queryOf url: WebURL) -> RequestParameters {
        guard let query = url.query, let own = PercentEncoding.decodeForm(query) else { return self }
        var others = self
        others.items.removeAll { item in
            own.contains { $0.name.isSameBytes(as: item.name) && $0.value.isSameBytes(as: item.value) }
        }
        return others
    }

    /// - Throws: `OAuthError` if the URL's own query has a parameter that would then be sent twice.
    func refuseRepeats(of queried: [Parameter], inQueryOf url: WebURL, key: String) throws(OAuthError) {
        guard let query = url.query, let own = PercentEncoding.decodeForm(query),
            let repeated = queried.first(where: { item in own.contains { $0.name == item.name } })
        else { return }
        throw OAuthError(
            step, .reservedParameter, "the endpoint's URL already has the parameter \"\(repeated.name)\"",
            descriptorKey: key)
    }

    /// The parameters in the query of the URL, and those in the body.
    ///
    /// - Parameter names: The standard names of those that are always in the query.
    func split(_ encoding: BodyEncoding, inQuery names: [String]) -> (queried: [Parameter], carried: [Parameter]) {
        if encoding == .query { return (items, []) }
        if names.isEmpty { return ([], items) }
        return (items.filter { names.contains($0.standardName) }, items.filter { !names.contains($0.standardName) })
    }

    /// The secrets, which errors must not repeat.
    var secrets: [Secret] { all.compactMap { $0.isSecret ? Secret($0.value) : nil } + hidden }

    /// Those that are left out come first: another value may be sent in place of one.
    var all: [Parameter] { omitted + items }

    /// Adds secrets that are part of the URL, so that it is shown without them.
    mutating func hideInURL(_ secrets: [Secret]) {
        hidden += secrets
        hidesInURL = true
    }

    /// A URL as it may be shown.
    func shown(_ url: String) -> String {
        hidesInURL ? Redactor(hiding: hidden).redact(url, limit: url.utf8.count) : url
    }

    /// Adds a secret that is sent in another form to the secrets.
    mutating func hide(_ secret: Secret) { hidden.append(secret) }
}

extension [RequestParameters.Parameter] {
    /// `name=value` pairs joined by `&`, each in its encoding.
    var encoded: String { joined(redacting: false) }

    /// The same for display: encoded, except for the redaction marks.
    var shown: String { joined(redacting: true) }

    /// By index, because a loop over the items would copy their strings.
    private func joined(redacting isRedacted: Bool) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count * 64)
        for index in indices {
            if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
            PercentEncoding.encode(self[index].name, into: &bytes)
            bytes.append(UInt8(ascii: "="))
            if isRedacted, self[index].isSecret {
                bytes += self[index].shownValue.utf8
            } else {
                PercentEncoding.encode(self[index].value, as: self[index].encoding, into: &bytes)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A JSON object of strings.
    ///
    /// - Parameter written: The names of those whose text is JSON already.
    func json(_ value: (Element) -> String, written: Set<String> = []) -> String {
        let object = object { item in
            let text = value(item)
            return (written.contains(item.standardName) ? try? JSONValue(parsing: text) : nil) ?? .string(text)
        }
        return JSONValue.object(object).jsonText()
    }

    /// A JSON object; a repeated name becomes a list.
    func object(_ value: (Element) -> JSONValue) -> JSONObject {
        var object = JSONObject()
        for item in self {
            switch object[item.name] {
            case nil: object[item.name] = value(item)
            case .array(let values)?: object[item.name] = .array(values + [value(item)])
            case let first?: object[item.name] = .array([first, value(item)])
            }
        }
        return object
    }
}
