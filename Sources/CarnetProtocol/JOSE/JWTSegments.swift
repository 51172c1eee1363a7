import CarnetDescriptors
package import CarnetFoundation

/// The readable parts of a token that has the form of a signed JWT (RFC 7519, section 3). Nothing is verified.
package struct JWTSegments {
    private let segments: [Substring]

    package init?(_ token: Secret) {
        segments = token.reveal().split(separator: ".", omittingEmptySubsequences: false)
        guard segments.count == 3, json(0) != nil, json(1) != nil else { return nil }
    }

    package func json(_ index: Int) -> JSONValue? {
        guard let bytes = Base64URL.decode(segments[index].utf8), let json = try? JSONValue(parsing: bytes),
            json.object != nil
        else { return nil }
        return json
    }
}
