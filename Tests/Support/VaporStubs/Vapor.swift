// The part of Vapor 4 that Docs/guides/vapor.md uses, written from Vapor's public documentation. Nothing of it runs.
@_exported public import NIOCore
@_exported public import NIOHTTP1

public typealias HTTPStatus = HTTPResponseStatus

public struct URI: Sendable {
    public var string: String { fatalError() }
}

public protocol StorageKey {
    associatedtype Value
}

public struct Storage: Sendable {
    public subscript<Key: StorageKey>(_ key: Key.Type) -> Key.Value? {
        get { fatalError() }
        set { fatalError() }
    }
}

public final class Request: @unchecked Sendable {
    public struct Body: Sendable {
        public func collect(max: Int? = 1 << 14) -> EventLoopFuture<ByteBuffer?> { fatalError() }
    }

    public var method: HTTPMethod { fatalError() }
    public var url: URI { fatalError() }
    public var headers: HTTPHeaders { fatalError() }
    public var body: Body { fatalError() }
    public var storage: Storage {
        get { fatalError() }
        set { fatalError() }
    }
    init() {}
}

public final class Response: @unchecked Sendable {
    public struct Body: Sendable {
        public static let empty = Body()
        public init() {}
        public init(string: String) {}
    }

    public init(
        status: HTTPResponseStatus = .ok, version: HTTPVersion = .http1_1, headers: HTTPHeaders = .init(),
        body: Body = .empty
    ) {}
}

public protocol AsyncResponder: Sendable {
    func respond(to request: Request) async throws -> Response
}

public protocol AsyncMiddleware: Sendable {
    func respond(to request: Request, chainingTo next: any AsyncResponder) async throws -> Response
}
