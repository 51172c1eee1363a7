import CarnetTestSupport

/// Something that takes input from strangers: makes inputs for it, and knows what must hold for every one.
protocol FuzzTarget: Sendable {
    /// - Parameter corpus: Inputs to start from, besides the target's own.
    init(corpus: [[UInt8]]) throws

    func input(_ random: inout SplitMix64) -> [UInt8]

    /// - Parameter index: Which input it is, for what is not done with each.
    func check(_ bytes: [UInt8], index: Int) async throws(InputCheck.Violation)
}

/// The targets by name.
enum FuzzTargetName: String, CaseIterable {
    case descriptor, token, keySet = "key-set", response, challenge, callback, cookie
    case cookieJar = "cookie-jar"
    case returnTarget = "return-target"
    case clientKey = "client-key"
    case record, binding, pattern
    case inputURL = "input-url"
    case requestPath = "request-path"
    case gateway

    /// The folder with its inputs.
    var corpus: String {
        self == .descriptor ? "Tests/Attacks/Fuzzing/Corpus" : "Tests/Attacks/Fuzzing/Messages/\(rawValue)"
    }

    func make(corpus: [[UInt8]]) throws -> any FuzzTarget {
        switch self {
        case .descriptor: DescriptorTarget(corpus: corpus)
        case .token: try TokenTarget(corpus: corpus)
        case .keySet: try KeySetTarget(corpus: corpus)
        case .response: try ResponseTarget(corpus: corpus)
        case .challenge: try ChallengeTarget(corpus: corpus)
        case .callback: try CallbackTarget(corpus: corpus)
        case .cookie: try CookieTarget(corpus: corpus)
        case .cookieJar: try CookieJarTarget(corpus: corpus)
        case .returnTarget: ReturnTargetTarget(corpus: corpus)
        case .clientKey: try ClientKeyTarget(corpus: corpus)
        case .record: try RecordTarget(corpus: corpus)
        case .binding: try BindingTarget(corpus: corpus)
        case .pattern: PatternTarget(corpus: corpus)
        case .inputURL: InputURLTarget(corpus: corpus)
        case .requestPath: RequestPathTarget(corpus: corpus)
        case .gateway: try GatewayTarget(corpus: corpus)
        }
    }
}

func require(_ condition: Bool, _ words: @autoclosure () -> String) throws(InputCheck.Violation) {
    if !condition { throw InputCheck.Violation(description: words()) }
}

/// What is said to people: short, and on one line.
func requirePrintable(_ text: String) throws(InputCheck.Violation) {
    try require(text.utf8.count < 8192, "an error has \(text.utf8.count) bytes")
    for scalar in text.unicodeScalars {
        let category = scalar.properties.generalCategory
        try require(
            ![.control, .lineSeparator, .paragraphSeparator].contains(category)
                && !(0x202A...0x202E).contains(scalar.value)
                && !(0x2066...0x2069).contains(scalar.value),
            "an error lets U+\(String(scalar.value, radix: 16)) through: \(text.debugDescription)")
    }
}
