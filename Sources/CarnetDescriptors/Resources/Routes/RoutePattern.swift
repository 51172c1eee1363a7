import CarnetFoundation

/// The requests that a resource of a map stands for: the host and path of its URL, in which `{name}` stands for one segment
/// and `/**` at the end for the path itself and all below it.
package struct RoutePattern: Hashable, Sendable {
    enum Segment: Hashable, Sendable {
        case literal([UInt8])
        case parameter
        case rest
    }

    /// The text of a `RequestHost`, or `*.` and a domain; `nil` for any host.
    let host: String?
    let segments: [Segment]

    /// - Parameter url: The URL of a resource as it is written, whose query does not count.
    init(_ url: String) throws(RoutePatternProblem) {
        var bytes = Array(url.utf8)[...]
        if let mark = bytes.firstIndex(of: UInt8(ascii: "?")) { bytes = bytes[..<mark] }
        if bytes.first == UInt8(ascii: "/") {
            host = nil
        } else {
            guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
                bytes[colon...].starts(with: "://".utf8)
            else { throw .notAURL }
            bytes = bytes[(colon + 3)...]
            let slash = bytes.firstIndex(of: UInt8(ascii: "/")) ?? bytes.endIndex
            let authority = String(decoding: bytes[..<slash], as: UTF8.self)
            guard !authority.utf8.contains(UInt8(ascii: "{")) else { throw .parameterInHost }
            guard let host = RequestHost(authority) else { throw .notAHost }
            self.host = host.text
            bytes = bytes[slash...]
        }
        segments = try Self.segments(bytes.isEmpty ? [UInt8(ascii: "/")][...] : bytes)
    }

    /// - Parameters:
    ///   - path: As it is written.
    ///   - host: The text of a `RequestHost`, or `*.` and a domain; `nil` for any host.
    package init(path: String, host: String? = nil) throws(RoutePatternProblem) {
        guard path.utf8.first == UInt8(ascii: "/") else { throw .notAPath }
        guard !path.utf8.contains(UInt8(ascii: "?")) else { throw .path(.character(UInt8(ascii: "?"))) }
        self.host = host
        segments = try Self.segments(Array(path.utf8)[...])
    }

    private static func segments(_ path: ArraySlice<UInt8>) throws(RoutePatternProblem) -> [Segment] {
        var parts = path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        if parts.last?.isEmpty == true { parts.removeLast() }
        var segments: [Segment] = []
        for (index, part) in parts.enumerated() {
            if part.elementsEqual("**".utf8) {
                guard index == parts.count - 1 else { throw .restNotAtEnd }
                segments.append(.rest)
            } else if part.contains(UInt8(ascii: "{")) || part.contains(UInt8(ascii: "}")) {
                let name = part.dropFirst().dropLast()
                guard part.first == UInt8(ascii: "{"), part.last == UInt8(ascii: "}"), !name.isEmpty,
                    name.allSatisfy({ ASCII.isAlphanumeric($0) || $0 == UInt8(ascii: "_") })
                else { throw .parameterInSegment }
                segments.append(.parameter)
            } else {
                do throws(RequestPathProblem) {
                    _ = try RequestPath("/" + String(decoding: part, as: UTF8.self) + "/x")
                } catch {
                    throw .path(error)
                }
                segments.append(.literal(Array(part)))
            }
        }
        return segments
    }
}

/// Why no request can have the URL of a resource.
package enum RoutePatternProblem: Error, Hashable, Sendable {
    case notAURL
    case notAPath
    case notAHost
    case parameterInHost
    case parameterInSegment
    case restNotAtEnd
    case path(RequestPathProblem)

    /// Whether the URL may be one that a client fills and calls.
    var isClients: Bool {
        switch self {
        case .notAURL, .notAHost, .parameterInHost, .parameterInSegment: true
        case .notAPath, .restNotAtEnd, .path: false
        }
    }

    package var reason: String {
        switch self {
        case .notAURL: "the URL is neither absolute nor a path"
        case .notAPath: "it does not begin with a slash"
        case .notAHost: "the host is invalid"
        case .parameterInHost: "the host has a value that only a client knows"
        case .parameterInSegment: "{name} is only a part of a segment, and not all of it"
        case .restNotAtEnd: "** is not the last segment"
        case .path(let problem): "the path \(problem.reason)"
        }
    }
}
