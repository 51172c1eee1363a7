/// The rules of signed authorization requests with everything filled in.
public struct ResolvedRequestObject: Sendable {
    public let use: RequestObjectUse
    public let algorithm: SignatureAlgorithm?
    /// The algorithms that the server's metadata announces; empty if it names none.
    public var announcedAlgorithms: [SignatureAlgorithm] = []
    public let audience: String?
    /// In seconds; as long as the sign-in may take if `nil`.
    public let lifetime: Int?
    /// The parameters that go beside the signed request too.
    public let repeated: [String]
    /// Whether requests are signed unless a sign-in says otherwise; also set by the metadata.
    public var isDemanded: Bool
}

extension ResolvedRequestObject {
    init(_ rules: RequestObjectRules, _ resolver: InputResolver) throws(ResolutionError) {
        use = rules.use
        algorithm = rules.algorithm
        audience = try rules.audience.flatMap { template throws(ResolutionError) in
            try resolver.fill(template, key: "authorization.request_object.audience")
        }
        lifetime = rules.lifetime?.seconds
        repeated = rules.repeated
        isDemanded = rules.use == .always
    }

    /// Whether a sign-in's parameters are to be signed.
    ///
    /// - Parameter isWanted: What the host says; the descriptor's `always` and `never` stand above it.
    public func isUsed(wanted isWanted: Bool?) -> Bool {
        switch use {
        case .always: true
        case .never: false
        case .auto: isDemanded || isWanted ?? false
        }
    }
}
