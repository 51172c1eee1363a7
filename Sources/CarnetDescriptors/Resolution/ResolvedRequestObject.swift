/// The rules of signed authorization requests with everything filled in.
package struct ResolvedRequestObject: Sendable {
    package let use: RequestObjectUse
    package let algorithm: SignatureAlgorithm?
    /// The algorithms that the server's metadata announces; empty if it names none.
    package var announcedAlgorithms: [SignatureAlgorithm] = []
    package let audience: String?
    /// In seconds; as long as the sign-in may take if `nil`.
    package let lifetime: Int?
    /// The parameters that go beside the signed request too.
    package let repeated: [String]
    /// Whether requests are signed unless a sign-in says otherwise; also set by the metadata.
    package var isDemanded: Bool
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
    package func isUsed(wanted isWanted: Bool?) -> Bool {
        switch use {
        case .always: true
        case .never: false
        case .auto: isDemanded || isWanted ?? false
        }
    }
}
