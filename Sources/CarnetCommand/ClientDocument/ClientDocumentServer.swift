import CarnetFoundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging

/// `carnet client-document --port`: serves one document at the path of its URL.
struct ClientDocumentServer {
    let url: String
    let document: JSONObject
    let port: Int
    let console: Console

    /// Serves until the task is cancelled.
    ///
    /// - Throws: `Failure` if the port cannot be had; `CancellationError`.
    func run() async throws {
        let place = try WebURL(url)
        let body = JSONValue.object(document).jsonText()
        let router = Router()
        router.get(RouterPath(place.path)) { _, _ in
            Response(
                status: .ok, headers: [.contentType: "application/json", .cacheControl: "max-age=300"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: body)))
        }
        let console = console
        let application = Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { channel in
                let port = channel.localAddress?.port ?? 0
                console.print("http://127.0.0.1:\(port)\(place.path)")
                console.note(
                    "have the proxy of \(place.authority) forward \(place.path) there; Ctrl-C stops it".printable)
            },
            logger: Logger(label: "carnet.client-document") { _ in SwiftLogNoOpLogHandler() })
        try await Failure.explainingPort(port) { try await application.run() }
        try Task.checkCancellation()
    }
}
