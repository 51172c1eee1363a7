import CarnetFoundation

/// Reads server-sent events (HTML, section 9.2.6).
struct EventReader {
    /// The maximum size of an event, in bytes.
    private let maximum: Int
    private var line: [UInt8] = []
    private var data: [UInt8] = []
    private var hasData = false
    private var type = ""
    private var nextID: String?
    private var isAfterReturn = false
    private var isAtStart = true

    /// The id of the last event that had one.
    private(set) var lastID: String?
    /// How long the server asks to wait before a new connection.
    private(set) var retry: Duration?

    init(maximum: Int) {
        self.maximum = maximum
    }

    /// - Parameter take: Gets the data of each message.
    /// - Returns: Whether all events so far are within the maximum.
    mutating func read(_ bytes: [UInt8], _ take: ([UInt8]) -> Void) -> Bool {
        for byte in bytes {
            let isSecondOfBreak = isAfterReturn && byte == 0x0A
            isAfterReturn = byte == 0x0D
            if isSecondOfBreak { continue }
            if byte == 0x0A || byte == 0x0D {
                endLine(take)
            } else {
                guard line.count + data.count < maximum else { return false }
                line.append(byte)
            }
        }
        return true
    }

    private mutating func endLine(_ take: ([UInt8]) -> Void) {
        if isAtStart, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        isAtStart = false
        guard !line.isEmpty else { return endEvent(take) }
        let name = line.prefix { $0 != UInt8(ascii: ":") }
        var value = line.dropFirst(name.count + 1)
        if value.first == 0x20 { value.removeFirst() }
        switch String(decoding: name, as: UTF8.self) {
        case "data":
            if hasData { data.append(0x0A) }
            data += value
            hasData = true
        case "event": type = String(decoding: value, as: UTF8.self)
        // It becomes a header.
        case "id" where value.count <= Self.longestID && value.allSatisfy { $0 >= 0x20 && $0 != 0x7F }:
            nextID = String(decoding: value, as: UTF8.self)
        case "retry" where !value.isEmpty && value.allSatisfy(ASCII.isDigit):
            let milliseconds = Int(String(decoding: value, as: UTF8.self)) ?? .max
            retry = .milliseconds(min(milliseconds, Self.longestRetry))
        default: break
        }
        line.removeAll(keepingCapacity: true)
    }

    private mutating func endEvent(_ take: ([UInt8]) -> Void) {
        // An empty id removes the last one.
        if let nextID { lastID = nextID.isEmpty ? nil : nextID }
        if hasData, !data.isEmpty, type.isEmpty || type == "message" { take(data) }
        data.removeAll(keepingCapacity: true)
        (hasData, type) = (false, "")
    }

    private static let longestID = 1024
    /// In milliseconds: an hour.
    private static let longestRetry = 3_600_000
}
