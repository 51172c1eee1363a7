package import CarnetFoundation

/// A request that follows the token request, and makes something else of the tokens.
package struct ExchangeStep: Sendable {
    package internal(set) var url = Template.empty
    package internal(set) var request = RequestRules()
    package internal(set) var result = ExchangeResult.tokens
    package internal(set) var response = ResponseRules()
    package internal(set) var capture = NamedList<ResponseCapture>()
    package internal(set) var repeatsAfterRefresh = false
    package internal(set) var isOptional = false
    package internal(set) var sample: JSONValue?
    /// The request with the inputs in it.
    package internal(set) var resolved = ResolvedRequest(method: .post)

    /// Whether the code of the sign-in goes into this request.
    package var takesCode: Bool { takes("code", of: .callback) }

    package func takes(_ name: String, of origin: TemplateOrigin) -> Bool {
        let templates = [url] + (request.headers.items + request.parameters.items).map(\.value)
        return templates.contains { $0.references.contains(TemplateReference(origin, name)) }
    }
}

extension ExchangeStep: ReferredSection {
    static let keys: [Key<Self>] =
        [
            Key("url", \.url, in: .exchangeURL, isRequired: true, "the URL of the request")
        ] + requestKeys + [
            Key(
                "brings", \.result,
                "what the step returns: tokens (default), which replace the earlier ones, or values only"),
            Key("response", \.response, "the places of the tokens in the response"),
            Key("capture", \.capture, "value -> its place in the response; available as {step.NAME}"),
            Key(
                "after_refresh", \.repeatsAfterRefresh,
                "whether the step is repeated after a refresh; default: false"),
            Key(
                "optional", \.isOptional,
                "whether the sign-in continues without the step if the server rejects it; default: false"),
            Key("sample", \.sample, "a redacted response; the sandbox returns it"),
        ]

    private static let requestKeys: [Key<Self>] = RequestRules.ownKeys(in: .exchange)
        .map { $0.lifted(to: \.request) }
}

package enum ExchangeResult: String, DescriptorChoice, Sendable {
    case tokens, values
}

extension ExchangeStep {
    /// The step with the inputs in it.
    func resolve(with resolver: InputResolver, key: String) throws(ResolutionError) -> ExchangeStep {
        var step = self
        step.url = try resolver.lateURL(url, key: "\(key).url") ?? .empty
        step.resolved = try request.resolve(with: resolver, key: key)
        return step
    }
}
