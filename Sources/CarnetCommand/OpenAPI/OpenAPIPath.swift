import CarnetDescriptors
import CarnetFoundation

/// The path of a description (OpenAPI 3.2, section 4.8.2) in the language of resources.
struct OpenAPIPath {
    /// With a parameter for each segment that has one, also if it is only a part of the segment.
    let url: String
    /// The URL without the names of parameters: equal for two paths of which a map can have only one.
    let shape: String
    /// Whether the URL stands for the same requests as the path.
    let isWhole: Bool
    /// Why no request can have the path.
    let problem: RoutePatternProblem?

    /// - Parameters:
    ///   - path: With what the server puts before it.
    ///   - host: The host of the server, if the resource is only for it.
    init(_ path: String, host: String?) {
        var rest = path[...]
        var isWhole = true
        // Not allowed, but written: for a map, the query is no part of a request.
        if let cut = rest.firstIndex(where: { $0 == "?" || $0 == "#" }) {
            rest = rest[..<cut]
            isWhole = false
        }
        var (url, shape) = ("", "")
        var segments = rest.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        if segments.last?.isEmpty == true { segments.removeLast() }
        for segment in segments {
            let parameter = Self.parameter(segment)
            isWhole = isWhole && parameter?.isWhole ?? true
            url += "/" + (parameter.map { "{\($0.name)}" } ?? Self.encoded(segment))
            shape += "/" + (parameter == nil ? Self.encoded(segment) : "{}")
        }
        if segments.isEmpty { (url, shape) = ("/", "/") }
        let prefix = host.map { "https://" + $0 } ?? ""
        self.url = prefix + url
        self.shape = prefix + shape
        self.isWhole = isWhole
        do throws(RoutePatternProblem) {
            _ = try RoutePattern(path: url, host: host)
            problem = nil
        } catch {
            problem = error
        }
    }

    /// The parameter that a segment is, or of which it has one.
    ///
    /// - Returns: `nil` for a literal segment. `**` means something else in a map.
    private static func parameter(_ segment: Substring) -> (name: String, isWhole: Bool)? {
        guard segment.contains("{") || segment.contains("}") else { return segment == "**" ? ("any", false) : nil }
        let inner = segment.dropFirst().dropLast()
        guard segment.first == "{", segment.last == "}", !inner.isEmpty, !inner.contains("{"), !inner.contains("}")
        else { return ("part", false) }
        let name = String(
            decoding: inner.utf8.map { ASCII.isAlphanumeric($0) ? $0 : UInt8(ascii: "_") }, as: UTF8.self)
        // In a descriptor, this name stands for another value.
        return (name == "issuer" ? "issuer_" : name, true)
    }

    /// A literal segment as it arrives in a request.
    private static func encoded(_ segment: Substring) -> String {
        let bytes = segment.utf8.flatMap { byte -> [UInt8] in
            guard !ASCII.isUnreserved(byte), !"!$&'()*+,=:@%".utf8.contains(byte) else { return [byte] }
            let digits = Array("0123456789ABCDEF".utf8)
            return [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
