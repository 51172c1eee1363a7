import AsyncHTTPClient
import CarnetHummingbird
import Foundation
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1

/// Requests of signed-in browsers to a page, with and without what looks who is signed in.
struct Gate {
    struct Rates {
        let rate: Double
        let bareRate: Double
    }

    private static let connections = 16

    let site: BenchmarkSite

    init(_ site: BenchmarkSite) { self.site = site }

    func compare(rounds: Int, seconds: Double) async throws -> Rates {
        let gated = Router(context: BasicSignInRequestContext.self)
        gated.add(middleware: SignInMiddleware(site.web))
        gated.group().add(middleware: RequireSignIn()).get("/page") { _, _ in "Hello" }
        let cookie = try await SignInLoad(site).session()
        let http = HTTPClient(eventLoopGroupProvider: .singleton)
        let measured = try await withServer(gated) { gatedURL in
            let bare = Router(context: BasicRequestContext.self)
            bare.get("/page") { _, _ in "Hello" }
            return try await withServer(bare) { bareURL in
                var (rates, bareRates): ([Double], [Double]) = ([], [])
                // In turns, so that what else the machine does weighs on both.
                for _ in 0..<rounds {
                    bareRates.append(try await rate(bareURL + "/page", cookie, http, seconds))
                    rates.append(try await rate(gatedURL + "/page", cookie, http, seconds))
                }
                return Rates(rate: rates.median, bareRate: bareRates.median)
            }
        }
        try await http.shutdown()
        return measured
    }

    private func rate(_ url: String, _ cookie: String, _ http: HTTPClient, _ seconds: Double) async throws -> Double {
        let clock = ContinuousClock()
        let start = clock.now
        let end = start + .seconds(seconds)
        let count = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<Self.connections {
                group.addTask {
                    var count = 0
                    while clock.now < end {
                        var request = HTTPClientRequest(url: url)
                        request.headers.add(name: "cookie", value: cookie)
                        let response = try await http.execute(request, timeout: .seconds(10))
                        let body = try await response.body.collect(upTo: 1024)
                        guard response.status == .ok, String(buffer: body) == "Hello" else {
                            throw BenchmarkFailure("\(url) returned \(response.status)")
                        }
                        count += 1
                    }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
        return Double(count) / ((clock.now - start) / .seconds(1))
    }
}

/// Serves a router on a free port of 127.0.0.1 while the body runs.
func withServer<Context: RequestContext, Value: Sendable>(
    _ router: Router<Context>, _ body: @Sendable (String) async throws -> Value
) async throws -> Value where Context.Source == ApplicationRequestContextSource {
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    let application = Application(
        router: router,
        configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
        onServerRunning: { continuation.yield($0.localAddress?.port ?? 0) },
        logger: Logger(label: "benchmark") { _ in SwiftLogNoOpLogHandler() }
    )
    let serving = Task { try await application.run() }
    defer { serving.cancel() }
    for await port in ports { return try await body("http://127.0.0.1:\(port)") }
    throw BenchmarkFailure("no server")
}
