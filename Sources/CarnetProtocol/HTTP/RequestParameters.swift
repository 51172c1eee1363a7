import CarnetDescriptors

/// The parameters of one request, in order, each knowing whether it may be seen.
struct RequestParameters {
    struct Parameter {
        var name: String
        var value: String
        var isSecret: Bool
    }

    let step: OAuthError.Step
    /// The descriptor section that shapes the request, e.g. `token`.
    let section: String
    private let rename: NamedList<String>
    private let omit: [String]
    private(set) var items: [Parameter] = []

    init(step: OAuthError.Step, section: String, rename: NamedList<String>, omit: [String]) {
        self.step = step
        self.section = section
        self.rename = rename
        self.omit = omit
    }

    /// Adds a parameter of the protocol under the provider's name for it, unless the descriptor leaves it out.
    mutating func add(_ standardName: String, _ value: String) throws(OAuthError) {
        guard !omit.contains(standardName) else { return }
        try append(rename[standardName] ?? standardName, value, isSecret: false)
    }

    mutating func add(_ standardName: String, _ secret: Secret) throws(OAuthError) {
        guard !omit.contains(standardName) else { return }
        try append(rename[standardName] ?? standardName, secret.reveal(), isSecret: true)
    }

    /// Adds parameters beyond the protocol's; they can neither repeat nor replace one of those.
    mutating func addExtra(_ parameters: [Named<String>], key: String) throws(OAuthError) {
        for parameter in parameters {
            try append(parameter.name, parameter.value, isSecret: false, key: "\(key).\(parameter.name)")
        }
    }

    private mutating func append(_ name: String, _ value: String, isSecret: Bool, key: String? = nil) throws(OAuthError)
    {
        guard !items.contains(where: { $0.name == name }) else {
            throw OAuthError(
                step,
                .reservedParameter,
                "the parameter \"\(name)\" would be sent twice",
                descriptorKey: key ?? "\(section).rename",
                hint: "remove it: the protocol sets it"
            )
        }
        items.append(Parameter(name: name, value: value, isSecret: isSecret))
    }

    var pairs: [(name: String, value: String)] { items.map { ($0.name, $0.value) } }

    /// The pairs with secrets replaced, for people.
    var redactedPairs: [(name: String, value: String)] {
        items.map { ($0.name, $0.isSecret ? Secret($0.value).description : $0.value) }
    }

    var secrets: [Secret] { items.filter(\.isSecret).map { Secret($0.value) } }
}
