import ArgumentParser
import BenchmarkSubjects
import Foundation
import Hummingbird
import Logging
import NIOCore

/// The provider of the sign-ins, a process of its own: its cost is not the client's. It ends with its standard input.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Serve sign-ins.", shouldDisplay: false)

    @Option var port: Int

    func run() async throws {
        let provider = SigningProvider(issuer: TokenServer.issuer(port))
        let router = Router(context: BasicRequestContext.self)
        let (metadata, keys) = (provider.metadata, provider.keys)
        router.get(".well-known/openid-configuration") { _, _ in Self.response(metadata) }
        router.get("keys") { _, _ in Self.response(keys) }
        router.post("token") { request, _ in
            let body = try await request.body.collect(upTo: 1 << 16)
            return Self.response(try provider.tokens(for: body.readableBytesView, now: Date()))
        }
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { _ in FileHandle.standardOutput.write(Data("ready\n".utf8)) },
            logger: Logger(label: "benchmark") { _ in SwiftLogNoOpLogHandler() }
        )
        Thread.detachNewThread {
            _ = FileHandle.standardInput.readDataToEndOfFile()
            Foundation.exit(0)
        }
        try await application.run()
    }

    private static func response(_ text: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}

/// The same, as its parent sees it.
final class TokenServer {
    let issuer: String
    private let process = Process()
    private let input = Pipe()

    static func issuer(_ port: Int) -> String { "http://127.0.0.1:\(port)" }

    init() throws {
        let port = Int.random(in: 20_000..<32_000)
        issuer = Self.issuer(port)
        let output = Pipe()
        process.executableURL = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        process.arguments = ["serve", "--port", "\(port)"]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        guard output.fileHandleForReading.availableData.starts(with: Data("ready".utf8)) else {
            throw BenchmarkFailure(reason: "the server of the sign-ins does not start at port \(port)")
        }
    }

    func stop() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
