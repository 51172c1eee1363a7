import Carnet
import CarnetDescriptors
import CarnetServerTestSupport
import Testing

@testable import CarnetProtocol
@testable import CarnetUserAgent

/// A sign-in on a loopback port whose page was shown and whose callback has not come.
struct PendingSignIn: Sendable {
    let presenter: any AuthorizationPresenter
    let task: Task<AuthorizationCallback, any Error>

    var redirectURI: String { presenter.redirectURI }

    /// Callbacks with `state=right` belong to it.
    static func start(
        at redirectURI: String = "http://127.0.0.1/callback",
        timeout: Duration = .seconds(600),
        limits: ConnectionLimits = .patient,
        responseMode: ResponseMode = .query
    ) async throws -> PendingSignIn {
        let (shown, isShown) = AsyncStream<String>.makeStream()
        let agent = LoopbackUserAgent(
            timeout: timeout,
            presentation: .show { url in
                isShown.yield(url)
                isShown.finish()
            },
            limits: limits
        )
        let presenter = try await agent.prepare(redirectURI: redirectURI, responseMode: responseMode)
        let task = Task {
            try await presenter.present("https://op.example/authorize?state=right") {
                $0.encodedParameters.split(separator: "&").contains("state=right")
            }
        }
        for await url in shown {
            #expect(url == "https://op.example/authorize?state=right")
        }
        return PendingSignIn(presenter: presenter, task: task)
    }

    var port: Int {
        get throws { try Self.port(of: redirectURI) }
    }

    static func port(of uri: String) throws -> Int {
        let authority = uri.dropFirst("http://".count).prefix { $0 != "/" && $0 != "?" }
        return try #require(Int(authority.split(separator: ":").last ?? ""))
    }

    /// Asks for a path on the port as a browser does.
    func request(
        _ method: String = "GET",
        _ target: String,
        fields: [String] = [],
        body: String = "",
        hostField: String? = nil
    ) async throws -> String {
        let port = try port
        let lines = ["\(method) \(target) HTTP/1.1", "Host: \(hostField ?? "127.0.0.1:\(port)")"] + fields
        return try await RawClient.exchange(lines.joined(separator: "\r\n") + "\r\n\r\n" + body, port: port)
    }

    /// Ends the sign-in with a callback that belongs to it.
    func finish() async throws {
        let response = try await request("GET", "/callback?code=c0de&state=right")
        #expect(response.hasPrefix("HTTP/1.1 200 "))
        #expect(try await task.value.encodedParameters == "code=c0de&state=right")
    }
}

extension ConnectionLimits {
    /// For tests that are not about time, on a machine that is busy with others.
    static var patient: ConnectionLimits { ConnectionLimits(lifetime: .seconds(300)) }
}

extension String {
    var status: Int? { Int(dropFirst("HTTP/1.1 ".count).prefix(3)) }
}
