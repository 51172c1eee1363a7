import CarnetDescriptors
import CarnetFoundation

/// A value that a descriptor captures from a sign-in, such as the host of the API or the id of a company.
package struct ConnectionValue: Codable, Hashable, Sendable {
    package let text: String
    /// Whether it is secret.
    package let isSecret: Bool

    package init(_ text: String, isSecret: Bool = false) {
        self.text = text
        self.isSecret = isSecret
    }
}

extension ConnectionValue: Redacted {
    package var summary: String { isSecret ? Secret(text).summary : text }
}

extension [String: ConnectionValue] {
    package var secrets: [Secret] { values.filter(\.isSecret).map { Secret($0.text) } }
}

extension NamedList<CallbackCapture> {
    /// The captured parameters.
    ///
    /// - Throws: `OAuthError` at step `callback` for a parameter that is missing, repeated, or does not match its
    /// pattern.
    func values(in pairs: [(name: String, value: String)]) throws(OAuthError) -> [String: ConnectionValue] {
        var values: [String: ConnectionValue] = [:]
        for rule in items {
            let parameter = rule.parameter
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
                    .callback, .valueRefused, "the callback's parameter \"\(parameter)\" does not match its pattern",
                    descriptorKey: key)
            }
            values["callback.\(rule.name)"] = ConnectionValue(text, isSecret: rule.value.isSecret)
        }
        return values
    }
}

extension NamedList<ResponseCapture> {
    /// The captured members.
    ///
    /// - Parameter isRepeated: Whether an earlier response may already have a missing member.
    func values(
        in body: JSONValue, as origin: TemplateOrigin, step: OAuthError.Step, key: String, isRepeated: Bool = false
    ) throws(OAuthError) -> [String: ConnectionValue] {
        var values: [String: ConnectionValue] = [:]
        for rule in items {
            let key = "\(key).\(rule.name)"
            let found = body.firstStated(of: rule.value.pointers.pointers)
            guard let text = found?.scalarText else {
                guard !rule.value.isOptional, !isRepeated else { continue }
                let places = rule.value.pointers.pointers.listed(by: " or ")
                let other = found.flatMap { $0.scalarText == nil ? $0.shown : nil }
                throw OAuthError(
                    step, .valueMissing,
                    other.map { "the response's \"\(rule.name)\" at \(places) is \($0), not a text or a number" }
                        ?? "the response has no \"\(rule.name)\" at \(places)", descriptorKey: key)
            }
            guard text.utf8.count <= ReceivedLimit.keptValue, rule.value.pattern?.matches(text) ?? true else {
                throw OAuthError(
                    step, .valueRefused, "the response's \"\(rule.name)\" does not match its pattern",
                    descriptorKey: key)
            }
            values[TemplateReference(origin, rule.name).description] = ConnectionValue(
                text, isSecret: rule.value.isSecret)
        }
        return values
    }
}
