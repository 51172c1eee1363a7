import CarnetDescriptors
import CarnetFoundation

/// The path of a description (OpenAPI 3.2, section 4.8.2) in the language of resources.
struct OpenAPIPath {
    /// The host of the server, if the resource is only for it.
    let host: String?
    /// With a parameter for each segment that has one, also if it is only a part of the segment.
    let segments: [String]
    /// The positions of segments of which the parameter is only a part.
    let parts: Set<Int>
    /// Whether the URL stands for the same requests as the path.
    let isWhole: Bool
    /// Why no request can have the path.
    let problem: RoutePatternProblem?

    var url: String { origin + "/" + segments.joined(separator: "/") }

    /// The URL without the names of parameters: equal for two paths of which a map can have only one.
    var shape: String { origin + "/" + segments.map { Self.isParameter($0) ? "{}" : $0 }.joined(separator: "/") }

    private var origin: String { host.map { "https://" + $0 } ?? "" }

    /// - Parameters:
    ///   - path: With what the server puts before it.
    ///   - host: The host of the server, if the resource is only for it.
    init(_ path: String, host: String?) {
        // Not allowed, but written: for a map, the query is no part of a request.
        let rest = path.prefix { $0 != "?" && $0 != "#" }
        var parts = rest.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        if parts.last?.isEmpty == true { parts.removeLast() }
        let parameters = parts.map(Self.parameter)
        segments = zip(parts, parameters).map { part, found in found.map { "{\($0.name)}" } ?? Self.encoded(part) }
        self.parts = Set(parameters.indices.filter { parameters[$0]?.isWhole == false })
        self.host = host
        isWhole = rest.endIndex == path.endIndex && self.parts.isEmpty
        do throws(RoutePatternProblem) {
            _ = try RoutePattern(path: "/" + segments.joined(separator: "/"), host: host)
            problem = nil
        } catch {
            problem = error
        }
    }

    private init(host: String?, segments: [String]) {
        (self.host, self.segments, parts, isWhole, problem) = (host, segments, [], true, nil)
    }

    static func isParameter(_ segment: String) -> Bool { segment.utf8.first == UInt8(ascii: "{") }

    /// Whether all requests of another path with as many segments are also requests of this one.
    func contains(_ other: OpenAPIPath) -> Bool {
        zip(segments, other.segments).allSatisfy { Self.isParameter($0) || $0 == $1 }
    }

    /// The path of the requests that are those of two paths, of which there are some.
    func crossing(_ other: OpenAPIPath) -> OpenAPIPath {
        OpenAPIPath(host: host, segments: zip(segments, other.segments).map { Self.isParameter($0) ? $1 : $0 })
    }

    /// The parameter that a segment is, or of which it has one.
    ///
    /// - Returns: `nil` for a literal segment. `**` means something else in a map.
    private static func parameter(_ segment: Substring) -> (name: String, isWhole: Bool)? {
        guard segment.contains("{") || segment.contains("}") else { return segment == "**" ? ("any", false) : nil }
        let inner = segment.dropFirst().dropLast()
        guard segment.first == "{", segment.last == "}", !inner.isEmpty, !inner.contains("{"), !inner.contains("}")
        else { return ("part", false) }
        let name = String(decoding: inner.utf8.map { ASCII.isAlphanumeric($0) ? $0 : UInt8(ascii: "_") }, as: UTF8.self)
        // In a descriptor, this name stands for another value.
        return (name == "issuer" ? "issuer_" : name, true)
    }

    /// A literal segment as it arrives in a request, in its normal form (RFC 3986, section 6.2.2).
    private static func encoded(_ segment: Substring) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        var rest = segment.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2, rest.prefix(2).allSatisfy(ASCII.isHexDigit),
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                rest = rest.dropFirst(2)
                bytes += ASCII.isUnreserved(value) ? [value] : [byte, digits[Int(value >> 4)], digits[Int(value & 15)]]
            } else if ASCII.isUnreserved(byte) || "!$&'()*+,=:@%".utf8.contains(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
