import CarnetFoundation

struct LoopbackRequest: Sendable {
    let method: String
    let target: String
    /// The names in lower case.
    let fields: [(name: String, value: String)]
    var body = ""
    /// The addresses of the connection; `nil` if the other side has reset it.
    var names: (here: SocketName, there: SocketName)?

    func values(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }
}

/// Reads the first request of a connection (RFC 9112). It accepts no body in chunks: browsers send forms with their length.
struct LoopbackRequestReader {
    private static let end: [UInt8] = [13, 10, 13, 10]

    private(set) var request: LoopbackRequest?
    private var received: [UInt8] = []
    private var head: LoopbackRequest?
    private var bodyStart = 0
    private var bodyLength = 0

    /// - Returns: `false` if no request can come of it: the connection ends without a response.
    mutating func add(_ bytes: [UInt8], limit: Int) -> Bool {
        let searched = max(0, received.count - 3)
        received += bytes
        guard received.count <= limit else { return false }
        if head == nil {
            guard let start = received[searched...].firstRange(of: Self.end)?.upperBound else { return true }
            guard let head = Self.head(received[..<(start - 4)]), let length = Self.length(of: head) else {
                return false
            }
            (self.head, bodyStart, bodyLength) = (head, start, length)
        }
        guard var head, received.count - bodyStart >= bodyLength else { return true }
        head.body = String(decoding: received[bodyStart...].prefix(bodyLength), as: UTF8.self)
        request = head
        return true
    }

    private static func head(_ bytes: ArraySlice<UInt8>) -> LoopbackRequest? {
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: false)
        let words = lines[0].split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, !words[0].isEmpty, words[0].utf8.allSatisfy({ (0x41...0x5A).contains($0) }),
            !words[1].isEmpty, ["HTTP/1.1", "HTTP/1.0"].contains(words[2])
        else { return nil }
        var fields: [(String, String)] = []
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, !parts[0].contains(where: \.isWhitespace) else { return nil }
            fields.append((parts[0].lowercased(), String(parts[1].trimming(\.isWhitespace))))
        }
        guard lines.allSatisfy({ $0.utf8.allSatisfy { $0 >= 0x20 || $0 == 9 } }) else { return nil }
        return LoopbackRequest(method: String(words[0]), target: String(words[1]), fields: fields)
    }

    /// The length of the body; `nil` if it is not known.
    private static func length(of head: LoopbackRequest) -> Int? {
        guard head.values("transfer-encoding").isEmpty else { return nil }
        let lengths = Set(head.values("content-length"))
        guard let length = lengths.first else { return 0 }
        guard lengths.count == 1, length.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(length)
    }
}

/// The response to a request, after which the connection is closed.
struct LoopbackResponse: Sendable {
    var status: Int
    var fields: [(name: String, value: String)]
    var body: String
    /// Called when the response was sent, or could not be sent.
    var whenSent: @Sendable () -> Void = {}

    /// - Parameter isHead: Whether the body is left out.
    func bytes(isHead: Bool) -> [UInt8] {
        let lines = fields.map { "\($0.name): \($0.value)\r\n" }.joined()
        return Array("HTTP/1.1 \(status) \(Self.reasons[status] ?? "")\r\n\(lines)\r\n\(isHead ? "" : body)".utf8)
    }

    private static let reasons = [
        200: "OK", 303: "See Other", 400: "Bad Request", 404: "Not Found", 405: "Method Not Allowed",
    ]
}
