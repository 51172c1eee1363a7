import CarnetDescriptors

/// A value that a sign-in brought and a descriptor keeps, such as the host of the API or the id of a company.
public struct ConnectionValue: Codable, Hashable, Sendable {
    public let text: String
    /// Whether it must not be seen.
    public let isSecret: Bool

    public init(_ text: String, isSecret: Bool = false) {
        self.text = text
        self.isSecret = isSecret
    }
}

extension ConnectionValue: CustomStringConvertible, CustomReflectable {
    public var description: String { isSecret ? Secret(text).description : text }
    public var customMirror: Mirror { Mirror(self, children: ["text": description]) }
}

extension NamedList<CallbackCapture> {
    /// The parameters that are kept.
    ///
    /// - Throws: `OAuthError` at step `callback` for one that is missing, repeated, or not what its pattern says.
    func values(in pairs: [(name: String, value: String)]) throws(OAuthError) -> [String: ConnectionValue] {
        var values: [String: ConnectionValue] = [:]
        for rule in items {
            let parameter = rule.value.parameter ?? rule.name
            let found = pairs.filter { $0.name == parameter }
            guard found.count <= 1 else {
                throw OAuthError(
                    .callback, .duplicateParameter, "the callback has the parameter \"\(parameter)\" more than once")
            }
            let key = "callback.capture.\(rule.name)"
            guard let text = found.first?.value, !text.isEmpty else {
                guard !rule.value.isOptional else { continue }
                throw OAuthError(
                    .callback, .valueMissing, "the callback has no parameter \"\(parameter)\"", descriptorKey: key)
            }
            guard rule.value.pattern.matches(text) else {
                throw OAuthError(
                    .callback,
                    .valueRefused,
                    "the callback's parameter \"\(parameter)\" is not what it must look like",
                    descriptorKey: key
                )
            }
            values["callback.\(rule.name)"] = ConnectionValue(text, isSecret: rule.value.isSecret)
        }
        return values
    }
}

extension NamedList<ResponseCapture> {
    /// The members that are kept.
    ///
    /// - Parameter isRepeated: Whether what is missing may be held from before.
    func values(
        in body: JSONValue, as origin: TemplateOrigin, step: OAuthError.Step, key: String, isRepeated: Bool = false
    ) throws(OAuthError) -> [String: ConnectionValue] {
        var values: [String: ConnectionValue] = [:]
        for rule in items {
            let key = "\(key).\(rule.name)"
            guard let text = body.first(of: rule.value.pointers.pointers)?.scalarText, !text.isEmpty else {
                guard !rule.value.isOptional, !isRepeated else { continue }
                throw OAuthError(step, .valueMissing, "the answer has no \"\(rule.name)\"", descriptorKey: key)
            }
            guard text.utf8.count <= ReceivedLimit.keptValue, rule.value.pattern?.matches(text) ?? true else {
                throw OAuthError(
                    step, .valueRefused, "the answer's \"\(rule.name)\" is not what it must look like",
                    descriptorKey: key)
            }
            values[TemplateReference(origin, rule.name).description] = ConnectionValue(
                text, isSecret: rule.value.isSecret)
        }
        return values
    }
}
