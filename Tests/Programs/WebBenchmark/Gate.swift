import AsyncHTTPClient
import BenchmarkSubjects
import CarnetHummingbird
import Foundation
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1

/// Requests to a page, with and without what decides who may see it.
struct Gate {
    struct Rates {
        let rate: Double
        let bareRate: Double
    }

    private static let connections = 16

    let site: BenchmarkSite

    init(_ site: BenchmarkSite) { self.site = site }

    /// A page behind `RequireSignIn`.
    func signedIn(rounds: Int, seconds: Double) async throws -> Rates {
        let router = Router(context: BasicSignInRequestContext.self)
        router.add(middleware: SignInMiddleware(site.web))
        router.group().add(middleware: RequireSignIn()).get("/page") { _, _ in "Hello" }
        return try await compare(
            router, at: "/page", with: [("cookie", try await SignInLoad(site).session())], rounds: rounds,
            seconds: seconds)
    }

    /// A route behind `ResourceServerMiddleware`, with access tokens that ES256 signs.
    func withToken(keepsStates: Bool, rounds: Int, seconds: Double) async throws -> Rates {
        let decision = try await RequestDecision(.ES256, keepsStates: keepsStates)
        let router = Router(context: BasicCallerRequestContext.self)
        router.add(middleware: ResourceServerMiddleware(decision.server))
        router.get("/**") { _, _ in "Hello" }
        let request = decision.request
        return try await compare(
            router, at: request.path ?? "/",
            with: [("host", request.authority ?? ""), ("authorization", request.headerFields[.authorization] ?? "")],
            rounds: rounds, seconds: seconds)
    }

    private func compare<Context: RequestContext>(
        _ gated: Router<Context>, at path: String, with headers: [(String, String)], rounds: Int, seconds: Double
    ) async throws -> Rates where Context.Source == ApplicationRequestContextSource {
        let http = HTTPClient(eventLoopGroupProvider: .singleton)
        let measured = try await withServer(gated) { gatedURL in
            let bare = Router(context: BasicRequestContext.self)
            bare.get("/**") { _, _ in "Hello" }
            return try await withServer(bare) { bareURL in
                var (rates, bareRates): ([Double], [Double]) = ([], [])
                // In turns, so that what else the machine does weighs on both.
                for _ in 0..<rounds {
                    bareRates.append(try await rate(bareURL + path, headers, http, seconds))
                    rates.append(try await rate(gatedURL + path, headers, http, seconds))
                }
                return Rates(rate: rates.median, bareRate: bareRates.median)
            }
        }
        try await http.shutdown()
        return measured
    }

    private func rate(
        _ url: String, _ headers: [(String, String)], _ http: HTTPClient, _ seconds: Double
    ) async throws -> Double {
        let clock = ContinuousClock()
        let start = clock.now
        let end = start + .seconds(seconds)
        let count = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<Self.connections {
                group.addTask {
                    var count = 0
                    while clock.now < end {
                        var request = HTTPClientRequest(url: url)
                        for (name, value) in headers { request.headers.add(name: name, value: value) }
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
