import CarnetFoundation

/// The host of a request in the only form in which gateways and resource servers compare it: in lower case, without dots at the
/// end, with its port apart. See `Docs/decisions/request-paths.md`.
package struct RequestHost: Hashable, Sendable {
    /// A name, or an address without brackets.
    package let name: String
    /// `nil` for none and for the default ports, 80 and 443.
    package let port: Int?

    /// - Parameter text: Host and port of a request (RFC 9110, section 7.2). User information, escapes and other characters
    ///   that no host has make it `nil`.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        var end = bytes.count
        var port: Int?
        let close = bytes.lastIndex(of: UInt8(ascii: "]")) ?? -1
        if let colon = bytes.lastIndex(of: UInt8(ascii: ":")), colon > close {
            let digits = bytes[(colon + 1)...]
            guard digits.allSatisfy(ASCII.isDigit), digits.count <= 5 else { return nil }
            port = Int(String(decoding: digits, as: UTF8.self))
            end = colon
        }
        let written = String(decoding: bytes[..<end], as: UTF8.self)
        name = HostName(written).text
        self.port = port == 80 || port == 443 ? nil : port
        if written.hasPrefix("[") {
            guard written.hasSuffix("]"), IPAddress(numericHost: name) != nil else { return nil }
        } else {
            guard Self.isName(name) else { return nil }
        }
    }

    /// Host and port, with brackets around an IPv6 address.
    package var text: String {
        (name.utf8.contains(UInt8(ascii: ":")) ? "[\(name)]" : name) + (port.map { ":\($0)" } ?? "")
    }

    /// Whether it is a name of labels in lower case, without a port and a dot at the end. Names with underscores exist in
    /// private networks.
    package static func isName(_ text: String) -> Bool {
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return text.utf8.count <= 253
            && labels.allSatisfy { label in
                (1...63).contains(label.count)
                    && label.allSatisfy {
                        ASCII.isDigit($0) || (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "-")
                            || $0 == UInt8(ascii: "_")
                    }
                    && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
            }
    }
}

/// The hosts of a resource map besides those of its URLs: the resources without a host decide about them.
package struct MapHosts: DescriptorValue, Sendable {
    package var isEvery = false
    package var names: [RequestHost] = []

    package init() {}

    private static let element = Shape.text("a host, or * for every host")

    static var shape: Shape { .list(of: element) }

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        guard let elements = decoder.expect(node.elements, node, Self.shape) else { return nil }
        for element in elements {
            guard let scalar = decoder.expect(element.written, element, Self.element) else { continue }
            if scalar.text == "*" {
                isEvery = true
            } else if let host = RequestHost(scalar.text) {
                names.append(host)
            } else {
                decoder.report(
                    .valueNotAllowed, "\"\(scalar.text)\" is not a host", at: element.span,
                    help: "write a host such as www.acme.example, or \"*\" for every host")
            }
        }
    }

    func json(_ filler: TemplateFiller) -> JSONValue? {
        .array((isEvery ? ["*"] : []) + names.map { .string($0.text) })
    }
}
