import AsyncHTTPClient
import Carnet
import CarnetHummingbird
import CarnetSandbox
import Foundation
import Hummingbird
import NIOCore
import NIOHTTP1

/// Whole sign-ins through the server: the form, the person's yes at the sandbox, the callback with code, tokens and ID
/// token, and the profile.
struct SignInLoad {
    let site: BenchmarkSite

    init(_ site: BenchmarkSite) { self.site = site }

    /// The cookie of somebody who has just signed in.
    func session() async throws -> String {
        let http = Self.browser()
        let cookie = try await withServer(router) { try await signIn(at: $0, http) }
        try await http.shutdown()
        return cookie
    }

    /// - Returns: Sign-ins a second.
    func measure(workers: Int, seconds: Double) async throws -> Double {
        let http = Self.browser()
        let rate = try await withServer(router) { address in
            let clock = ContinuousClock()
            let start = clock.now
            let end = start + .seconds(seconds)
            let count = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<workers {
                    group.addTask {
                        var count = 0
                        while clock.now < end {
                            _ = try await signIn(at: address, http)
                            count += 1
                        }
                        return count
                    }
                }
                return try await group.reduce(0, +)
            }
            return Double(count) / ((clock.now - start) / .seconds(1))
        }
        try await http.shutdown()
        return rate
    }

    /// It goes where it is sent by hand: the sandbox is in this process and has no address.
    private static func browser() -> HTTPClient {
        HTTPClient(
            eventLoopGroupProvider: .singleton,
            configuration: HTTPClient.Configuration(redirectConfiguration: .disallow))
    }

    private var router: Router<BasicSignInRequestContext> {
        let router = Router(context: BasicSignInRequestContext.self)
        router.add(middleware: SignInMiddleware(site.web))
        return router
    }

    private func signIn(at address: String, _ http: HTTPClient) async throws -> String {
        var start = HTTPClientRequest(url: address + "/sign-in/acme")
        start.method = .POST
        start.headers.add(name: "sec-fetch-site", value: "same-origin")
        let begun = try await http.execute(start, timeout: .seconds(30))
        guard let location = begun.headers.first(name: "location"), let pending = Self.cookies(of: begun).last else {
            throw BenchmarkFailure("no sign-in began: \(begun.status)")
        }
        let callback = try await site.sandbox.approve(authorizationURL: location)
        var back = HTTPClientRequest(url: address + callback.dropFirst(BenchmarkSite.origin.count))
        back.headers.add(name: "cookie", value: pending)
        let done = try await http.execute(back, timeout: .seconds(30))
        guard done.status == .seeOther, let session = Self.cookies(of: done).last else {
            throw BenchmarkFailure("the sign-in ended with \(done.status)")
        }
        return session
    }

    private static func cookies(of response: HTTPClientResponse) -> [String] {
        response.headers["set-cookie"].map { String($0.prefix { $0 != ";" }) }
    }
}
