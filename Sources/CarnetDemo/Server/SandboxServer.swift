import CarnetFoundation
package import CarnetHummingbird
package import CarnetSandbox
import HTTPTypes
import Hummingbird
import NIOCore

/// A sandbox on a port of 127.0.0.1, for browsers and for programs that need a socket.
package struct SandboxServer: Sendable {
    private let sandbox: Sandbox
    private let port: Int
    private let limits: ServerLimits
    private let onStart: @Sendable (SandboxAddress) async -> Void

    /// - Parameters:
    ///   - port: 0 takes any free one.
    ///   - onStart: Called with the sandbox's address as soon as it listens.
    package init(
        sandbox: Sandbox, port: Int = 0, limits: ServerLimits = ServerLimits(),
        onStart: @escaping @Sendable (SandboxAddress) async -> Void
    ) {
        self.sandbox = sandbox
        self.port = port
        self.limits = limits
        self.onStart = onStart
    }

    /// Serves until the task is cancelled.
    ///
    /// - Throws: The system's error if the port cannot be had.
    package func run() async throws {
        try await limits.application(
            SandboxResponder(sandbox: sandbox), at: .hostname("127.0.0.1", port: port),
            onStart: { channel in
                guard let port = channel.localAddress?.port, let base = try? WebURL("http://127.0.0.1:\(port)") else {
                    return
                }
                await onStart(SandboxAddress(base))
            }
        ).run()
    }
}

/// Hands requests over to the sandbox under the providers' own URLs.
private struct SandboxResponder: HTTPResponder {
    struct Context: InitializableFromSource {
        let channel: any Channel

        init(source: ApplicationRequestContextSource) { channel = source.channel }
    }

    static let maximumBodyBytes = 1 << 20

    let sandbox: Sandbox

    func respond(to request: Request, context: Context) async throws -> Response {
        guard let body = try? await request.body.collect(upTo: Self.maximumBodyBytes) else {
            return Response(status: .contentTooLarge)
        }
        let head = await providerRequest(request.head)
        let sent = Array(body.readableBytesView)
        guard await sandbox.isReachable(head, body: sent) else {
            try await context.channel.close()
            return Response(status: .serviceUnavailable)
        }
        let (response, bytes) = await sandbox.respond(to: head, body: sent)
        return Response(
            status: response.status, headers: response.headerFields,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// The same request for the URL that it stands for.
    private func providerRequest(_ head: HTTPRequest) async -> HTTPRequest {
        var head = head
        head.scheme = "http"
        for text in SandboxAddress.candidates(target: head.path ?? "/", host: head.authority ?? "127.0.0.1") {
            guard let url = try? WebURL(text), await sandbox.serves(originOf: url) else { continue }
            (head.scheme, head.authority, head.path) = (url.scheme, url.authority, url.target)
            break
        }
        return head
    }
}
