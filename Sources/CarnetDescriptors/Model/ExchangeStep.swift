/// A request that follows the token request, and makes something else of the tokens.
package struct ExchangeStep: Sendable {
    package internal(set) var url = Template.empty
    package internal(set) var request = RequestRules()
    package internal(set) var result = ExchangeResult.tokens
    package internal(set) var response = ResponseRules()
    package internal(set) var capture = NamedList<ResponseCapture>()
    package internal(set) var repeatsAfterRefresh = false
    package internal(set) var sample: JSONValue?
    /// The request with the inputs in it.
    package internal(set) var resolved = ResolvedRequest(method: .post)

    init() {}
}

extension ExchangeStep: DescriptorSection {
    static let keys: [Key<Self>] =
        [
            Key("url", \.url, in: .exchangeURL, isRequired: true, "where the request goes")
        ] + requestKeys + [
            Key("brings", \.result, "tokens in place of those before (the default), or values alone"),
            Key("response", \.response, "where the tokens are in the response"),
            Key("capture", \.capture, "value -> where it is in the response; kept as {step.NAME}"),
            Key("after_refresh", \.repeatsAfterRefresh, "whether the step is made again when the tokens were renewed"),
            Key("sample", \.sample, "a redacted answer; the sandbox answers with it"),
        ]
}

extension ExchangeStep {
    /// A step sends what it says and nothing more, so it has nothing to rename or to leave out.
    private static let requestKeys: [Key<Self>] = RequestRules.keys(in: .exchange)
        .filter { ["method", "body", "headers", "parameters"].contains($0.description.name) }
        .map { $0.lifted(to: \.request) }
}

package enum ExchangeResult: String, DescriptorChoice, Sendable {
    case tokens
    case values
}
