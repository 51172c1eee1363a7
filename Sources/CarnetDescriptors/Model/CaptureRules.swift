/// A parameter of the callback that is kept.
package struct CallbackCapture: Sendable {
    package internal(set) var parameter: String?
    package internal(set) var pattern = ValuePattern.nothing
    package internal(set) var example = ""
    package internal(set) var isOptional = false
    package internal(set) var isSecret = false

    init() {}
}

extension CallbackCapture: DescriptorSection {
    static let keys: [Key<Self>] = [
        Key("from", \.parameter, "the parameter, where it is not called as the value is"),
        Key("pattern", \.pattern, isRequired: true, "what the whole value must look like: anybody can send a callback"),
        Key("example", \.example, isRequired: true, "a value that would do; the sandbox sends it"),
        Key("optional", \.isOptional, "whether it may be missing"),
        Key("secret", \.isSecret, "whether the value must not be seen"),
    ]
}

extension ValuePattern {
    /// Stands for a pattern until one is read.
    static let nothing = ValuePattern(source: "", program: [.match])
}

/// A member of a response that is kept.
package struct ResponseCapture: Sendable {
    package internal(set) var pointers = PointerList([])
    package internal(set) var pattern: ValuePattern?
    package internal(set) var example: String?
    package internal(set) var isOptional = false
    package internal(set) var isSecret = false

    init() {}
}

extension ResponseCapture: DescriptorSection {
    static let shorthand: String? = "from"
    static let keys: [Key<Self>] = [
        Key("from", \.pointers, isRequired: true, "where it is in the whole body"),
        Key("pattern", \.pattern, "a regular expression for the whole value"),
        Key("example", \.example, "a value that would do; the sandbox sends it where the sample has none"),
        Key("optional", \.isOptional, "whether it may be missing"),
        Key("secret", \.isSecret, "whether the value must not be seen"),
    ]
}

/// A callback that the provider signs with the client's secret: HMAC-SHA256 over its other parameters.
package struct CallbackVerification: Sendable {
    package internal(set) var parameter = ""
    package internal(set) var encoding = DigestEncoding.hexadecimal
    package internal(set) var separator = "&"
    package internal(set) var omit: [String] = []

    init() {}
}

extension CallbackVerification: DescriptorSection {
    static let keys: [Key<Self>] = [
        Key("parameter", \.parameter, isRequired: true, "the parameter with the signature"),
        Key("encoding", \.encoding, "how the signature is written; hex if not said"),
        Key("separator", \.separator, "between the signed name=value pairs, which are sorted by name; & if not said"),
        Key("omit", \.omit, "further parameters that are not signed"),
    ]
}

package enum DigestEncoding: String, DescriptorChoice, Sendable {
    case hexadecimal = "hex"
    case base64
    case base64url
}

extension CallbackVerification {
    /// What is signed: all other parameters, decoded, sorted by name.
    package func message(_ parameters: [(name: String, value: String)]) -> String {
        parameters.filter { $0.name != parameter && !omit.contains($0.name) }
            .sorted { ($0.name, $0.value) < ($1.name, $1.value) }
            .map { "\($0.name)=\($0.value)" }
            .joined(separator: separator)
    }
}
