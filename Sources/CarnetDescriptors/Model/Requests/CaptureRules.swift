import CarnetFoundation

/// A parameter of the callback that is kept.
package struct CallbackCapture: DescriptorSection, Sendable {
    package internal(set) var parameter: String?
    package internal(set) var pattern = ValuePattern.unreserved
    package internal(set) var example: String?
    package internal(set) var isOptional = false
    package internal(set) var isSecret = false

    static let shorthand: String? = "from"
    static let keys: [Key<Self>] = [
        Key("from", \.parameter, "the name of the parameter; default: the name of the value"),
        Key(
            "pattern", \.pattern,
            "a regular expression for the whole value; default: letters, digits and -._~, since anybody can send a callback"
        ),
        Key("example", \.example, "an example, which the sandbox sends; default: the name of the value"),
        Key("optional", \.isOptional, "whether it may be missing; default: false"),
        Key("secret", \.isSecret, "whether the value is a secret; default: false"),
    ]
}

extension ValuePattern {
    /// Stands for a pattern until one is read.
    static let nothing = ValuePattern(source: "", program: [.match])
    /// Unreserved characters (RFC 3986, section 2.3), which are harmless everywhere.
    package static let unreserved = (try? ValuePattern("[A-Za-z0-9._~-]+")) ?? nothing
    package static let anything = (try? ValuePattern(".+")) ?? nothing
}

extension Named where Value == CallbackCapture {
    /// The name of its parameter.
    package var parameter: String { value.parameter ?? name }

    /// The value that the sandbox sends: that of the sample of a callback, else an example.
    package func example(in samples: Samples) -> String {
        samples.callback?[parameter]?.scalarText ?? value.example ?? name
    }
}

/// A member of a response that is kept.
package struct ResponseCapture: DescriptorSection, Sendable {
    package internal(set) var pointers = PointerList([])
    package internal(set) var pattern: ValuePattern?
    package internal(set) var example: String?
    package internal(set) var isOptional = false
    package internal(set) var isSecret = false

    static let shorthand: String? = "from"
    static let keys: [Key<Self>] = [
        Key("from", \.pointers, isRequired: true, "its place in the whole body"),
        Key("pattern", \.pattern, "a regular expression for the whole value"),
        Key("example", \.example, "the sandbox sends it without a sample, or if optional"),
        Key("optional", \.isOptional, "whether it may be missing; default: false"),
        Key("secret", \.isSecret, "whether the value is a secret; default: false"),
    ]
}

/// A callback that the provider signs with the client's secret: HMAC-SHA256 over its other parameters.
package struct CallbackVerification: DescriptorSection, Sendable {
    package internal(set) var parameter = ""
    package internal(set) var encoding = DigestEncoding.hexadecimal
    package internal(set) var separator = "&"
    package internal(set) var unsigned: [String] = []

    static let keys: [Key<Self>] = [
        Key("parameter", \.parameter, isRequired: true, "the parameter that contains the signature"),
        Key("encoding", \.encoding, "the encoding of the signature; default: hex"),
        Key(
            "separator", \.separator,
            "the separator between the signed name=value pairs, which are sorted by name; default: &"),
        Key("unsigned", \.unsigned, "other parameters that are not signed"),
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
        parameters.filter { $0.name != parameter && !unsigned.contains($0.name) }
            .sorted { ($0.name, $0.value) < ($1.name, $1.value) }
            .map { "\($0.name)=\($0.value)" }
            .joined(separator: separator)
    }
}
