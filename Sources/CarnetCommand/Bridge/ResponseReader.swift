import Carnet
import CarnetFoundation
import CarnetProtocol
import HTTPTypes

/// Reads the messages of one response while it arrives: a stream of events, or one JSON document.
final class ResponseReader: Sendable {
    private enum Body {
        case events(EventReader)
        case document([UInt8])
        /// Neither, so nothing is in it.
        case other
    }

    private struct State {
        var body = Body.other
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
                state.body = .events(EventReader())
            } else if ["application/json", "text/plain"].contains(where: type.hasPrefix) || type.isEmpty {
                state.body = .document([])
            }
        }
        begin(head)
    }

    private func read(_ bytes: [UInt8]) -> Bool {
        var events: [EventReader.Event] = []
        let isWithinLimits = state.withLock { state in
            switch state.body {
            case .events(var reader):
                state.body = .other
                defer { state.body = .events(reader) }
                guard reader.read(bytes, { events.append($0) }) else { break }
                state.count += events.count { $0.type == "message" }
                return true
            case .document(var document):
                state.body = .other
                guard document.count + bytes.count <= Bridge.maximum else { break }
                document += bytes
                state.body = .document(document)
                return true
            case .other: return true
            }
            state.isTooLarge = true
            return false
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
            if case .events(var reader) = state.body {
                var last: [UInt8]?
                reader.end { last = $0.type == "message" ? $0.data : nil }
                state.body = .events(reader)
                if last != nil { state.count += 1 }
                return last
            }
            guard case .document(let document) = state.body, !document.isEmpty else { return nil }
            state.body = .other
            // Another type than that of JSON is named, unless it is JSON.
            guard state.type.isEmpty || state.type.hasPrefix("application/json") || Message(document) != nil else {
                return nil
            }
            state.count += 1
            return document
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
            if case .other = state.body, state.count == 0, !state.type.isEmpty { return state.type.quotable(limit: 80) }
            return nil
        }
    }

    var count: Int { state.withLock(\.count) }

    var lastEventID: String? { events?.lastID }

    var retry: Duration? { events?.retry }

    private var events: EventReader? {
        state.withLock { state in if case .events(let reader) = state.body { reader } else { nil } }
    }
}
