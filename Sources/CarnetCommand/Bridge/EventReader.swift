import CarnetFoundation

/// Reads server-sent events (HTML, section 9.2.6).
struct EventReader {
    struct Event {
        /// `message` if the server gives none.
        let type: String
        let data: [UInt8]
    }

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

    init(maximum: Int = Bridge.maximum) { self.maximum = maximum }

    /// - Parameter take: Gets each event that has data.
    /// - Returns: Whether all events so far are within the maximum.
    mutating func read(_ bytes: [UInt8], _ take: (Event) -> Void) -> Bool {
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

    /// Ends the stream. A last event without its empty line is one if it is complete JSON: the standard drops it, and nobody
    /// else can have written it.
    mutating func end(_ take: (Event) -> Void) {
        if line.starts(with: Array("data".utf8)) { endLine(take) }
        if hasData, Message(data) != nil { endEvent(take) }
    }

    private mutating func endLine(_ take: (Event) -> Void) {
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

    private mutating func endEvent(_ take: (Event) -> Void) {
        // An empty id removes the last one.
        if let nextID { lastID = nextID.isEmpty ? nil : nextID }
        if hasData, !data.isEmpty { take(Event(type: type.isEmpty ? "message" : type, data: data)) }
        data.removeAll(keepingCapacity: true)
        (hasData, type) = (false, "")
    }

    private static let longestID = 1024
    /// In milliseconds: an hour.
    private static let longestRetry = 3_600_000
}
