import Carnet
import CarnetFoundation
import CarnetProtocol
import HTTPTypes

/// Reads the messages of one response while it arrives: a stream of events, or one JSON document.
final class ResponseReader: Sendable {
    private struct State {
        /// Of a stream of events.
        var reader: EventReader?
        /// Without this and `reader`, nothing is in the response.
        var document: [UInt8]?
        var hasBegun = false
        var type = ""
        var isTooLarge = false
        var count = 0
    }

    private let state = Lock(State())
    private let begin: @Sendable (HTTPResponse) -> Void
    private let take: @Sendable ([UInt8]) -> Void
    private let endpoint: @Sendable ([UInt8]) -> Void
    private let isDone: @Sendable () -> Bool

    /// - Parameters:
    ///   - begin: Gets the head of the response before its messages.
    ///   - take: Gets each message.
    ///   - isDone: Whether the rest of a stream is not needed.
    ///   - endpoint: Gets where messages go, which a stream of revision 2024-11-05 says first.
    init(
        begin: @escaping @Sendable (HTTPResponse) -> Void = { _ in },
        isDone: @escaping @Sendable () -> Bool = { false }, endpoint: @escaping @Sendable ([UInt8]) -> Void = { _ in },
        take: @escaping @Sendable ([UInt8]) -> Void
    ) {
        (self.begin, self.isDone, self.endpoint, self.take) = (begin, isDone, endpoint, take)
    }

    /// - Parameter deadline: How long the head of the response may take.
    func stream(within deadline: Duration) -> ResponseStream {
        ResponseStream(deadline: deadline, begin: { self.start($0) }, take: { self.read($0) })
    }

    private func start(_ head: HTTPResponse) {
        let type = (head.headerFields[.contentType] ?? "").lowercased()
        state.withLock { state in
            state.hasBegun = true
            state.type = type
            if type.hasPrefix("text/event-stream") {
                (state.reader, state.document) = (EventReader(), nil)
            } else if ["application/json", "text/plain"].contains(where: type.hasPrefix) || type.isEmpty {
                (state.reader, state.document) = (nil, [])
            }
        }
        begin(head)
    }

    private func read(_ bytes: [UInt8]) -> Bool {
        var events: [EventReader.Event] = []
        let isWithinLimits = state.withLock { state in
            let length = (state.document?.count ?? 0) + bytes.count
            let isDocumentWithinLimits = state.document == nil || length <= Bridge.maximum
            guard state.reader?.read(bytes, { events.append($0) }) ?? isDocumentWithinLimits else {
                (state.document, state.isTooLarge) = (nil, true)
                return false
            }
            state.document? += bytes
            state.count += events.count { $0.type == "message" }
            return true
        }
        for event in events {
            switch event.type {
            case "message": take(event.data)
            case "endpoint": endpoint(event.data)
            default: break
            }
        }
        return isWithinLimits && !isDone()
    }

    /// - Parameter response: Its body is read here if the transport did not stream it.
    /// - Throws: `Failure` for a message that is too large.
    func finish(_ response: IncomingResponse) throws {
        if !state.withLock(\.hasBegun) {
            start(response.head)
            _ = read(response.body)
        }
        try check()
        let document: [UInt8]? = state.withLock { state in
            var last: [UInt8]?
            state.reader?.end { last = $0.type == "message" ? $0.data : nil }
            if let document = state.document, !document.isEmpty {
                state.document = nil
                // Another type than that of JSON is named, unless it is JSON.
                let isJSON = state.type.isEmpty || state.type.hasPrefix("application/json")
                if isJSON || Message(document) != nil { last = document }
            }
            if last != nil { state.count += 1 }
            return last
        }
        if let document { take(document) }
    }

    /// - Throws: `Failure` for a message that is too large.
    func check() throws {
        guard !state.withLock(\.isTooLarge) else {
            throw Failure(.failed, "a message of the server is larger than \(Bridge.maximum) bytes")
        }
    }

    /// Whether it is a stream that has begun.
    var isStream: Bool { events != nil }

    /// The content type of a response that has no messages.
    var otherType: String? {
        state.withLock { state in
            let isOther = state.reader == nil && state.document == nil && state.count == 0 && !state.type.isEmpty
            return isOther ? state.type.quotable(limit: 80) : nil
        }
    }

    var count: Int { state.withLock(\.count) }

    var lastEventID: String? { events?.lastID }

    var retry: Duration? { events?.retry }

    private var events: EventReader? { state.withLock(\.reader) }
}
