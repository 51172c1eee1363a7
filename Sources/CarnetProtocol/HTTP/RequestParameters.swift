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
    private var hidden: [Secret] = []

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

    /// - Throws: `OAuthError` if the URL's own query has a parameter that would then be sent twice.
    func refuseRepeats(inQueryOf url: WebURL, key: String) throws(OAuthError) {
        let own = PercentEncoding.decodeForm(url.query ?? "") ?? []
        guard let repeated = items.first(where: { item in own.contains { $0.name == item.name } }) else { return }
        throw OAuthError(
            step,
            .reservedParameter,
            "the endpoint's own query already has \"\(repeated.name)\"",
            descriptorKey: key
        )
    }

    var pairs: [(name: String, value: String)] { items.map { ($0.name, $0.value) } }

    /// The pairs with secrets replaced, for people.
    var redactedPairs: [(name: String, value: String)] {
        items.map { ($0.name, $0.isSecret ? Secret($0.value).description : $0.value) }
    }

    /// What must not come back in an error.
    var secrets: [Secret] { items.filter(\.isSecret).map { Secret($0.value) } + hidden }

    /// Counts a secret that is sent in another form among the secrets.
    mutating func hide(_ secret: Secret) { hidden.append(secret) }
}
