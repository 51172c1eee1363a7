// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

@Suite("DEV: sign-in on another device", .searchedForSecrets)
struct DeviceAttackTests {
    @Test("DEV-01: Codes")
    func DEV_01_codes() async throws {
        for name in ["device_code", "user_code", "verification_uri", "expires_in"] {
            try await refuse(.deviceAuthorization, .missingField, in: .device) { $0.device[name] = nil }
        }
        try await refuse(.deviceAuthorization, .wrongFieldType, in: .device, each: [5, "", [], "é"] as [JSONValue]) {
            $0.device["device_code"] = $1
        }
        try await refuse(
            .deviceAuthorization, .wrongFieldType, in: .device,
            each: [0, -1, "x", .number("1e300"), true] as [JSONValue]
        ) { $0.device["expires_in"] = $1 }
        try await refuse(.deviceAuthorization, .wrongFieldType, in: .device, each: [-1, "x", []] as [JSONValue]) {
            $0.device["interval"] = $1
        }
        let intervals: [(JSONValue?, TimeInterval)] = [(nil, 5), (0, 1), ("7", 7), (100_000, 300)]
        for (interval, seconds) in intervals {
            let scenario = Scenario()
            let client = try Flow.device.client(of: scenario)
            scenario.change { $0.device["interval"] = interval }
            #expect(try await client.beginDeviceSignIn().interval == seconds)
        }
    }

    @Test("DEV-02: Client is named in the body")
    func DEV_02_clientIsNamedInTheBody() async throws {
        try await accept(in: .device) { scenario, _ in
            let request = try #require(scenario.requests(to: "/device_authorization").first)
            #expect(request.form["client_id"] == Scenario.clientID)
            #expect(request.headers[.authorization]?.hasPrefix("Basic ") == true)
        }
    }

    /// The seconds between the polls of a flow whose token endpoint responses so.
    private func waits(_ responses: [ServerResponse]) async throws -> [TimeInterval] {
        let scenario = Scenario()
        _ = try await Flow.device.run(scenario) { script in
            let good = script.token
            script.token = responses[0]
            script.token.later = Array(responses.dropFirst()) + [good]
        }
        let times = scenario.log.filter { ["/device_authorization", "/token"].contains($0.path) }.map(\.time)
        return zip(times.dropFirst(), times).map { $0.timeIntervalSince($1) }
    }

    @Test("DEV-03: Pace of the polls")
    func DEV_03_paceOfThePolls() async throws {
        try await control(.device)
        let (pending, slowDown) = (ServerResponse.error("authorization_pending"), ServerResponse.error("slow_down"))
        #expect(try await waits([pending, pending]) == [5, 5, 5])
        #expect(try await waits([slowDown, pending, slowDown, pending]) == [5, 10, 10, 15, 15])
    }

    @Test("DEV-04: Refusals")
    func DEV_04_refusals() async throws {
        try await refuse(
            .deviceAuthorization, .serverError, in: .device, each: ["access_denied", "invalid_grant", "nonsense"]
        ) {
            $0.token = .error($1)
        }
        try await refuse(.deviceAuthorization, .expiredAttempt, in: .device) { $0.token = .error("expired_token") }
    }

    @Test("DEV-05: Server in trouble")
    func DEV_05_serverInTrouble() async throws {
        let trouble = ServerResponse.error("server_error", status: 503)
        #expect(try await waits([trouble, trouble, trouble]) == [5, 10, 20, 40])
        #expect(try await waits([.fails(.timeout), .fails(.connection)]) == [5, 10, 20])
        var asking = ServerResponse.error("authorization_pending")
        asking.headers.append(("Retry-After", "60"))
        #expect(try await waits([asking]) == [5, 60])
        asking.headers[1].value = "99999999"
        #expect(try await waits([asking]) == [5, 300])
        var limited = ServerResponse.error("temporarily_unavailable", status: 429)
        limited.headers.append(("Retry-After", "60"))
        #expect(try await waits([limited, limited]) == [5, 60, 60])
    }

    @Test("DEV-06: Own deadline")
    func DEV_06_ownDeadline() async throws {
        let scenario = Scenario()
        await expectRefusal(.expiredAttempt) {
            try await Flow.device.run(scenario) { $0.token = .error("authorization_pending") }
        }
        #expect((100...120).contains(scenario.count("/token")))
    }

    @Test("DEV-06: Cancellation ends the polls")
    func DEV_06_cancellationEndsThePolls() async throws {
        let gate = Gate()
        let scenario = Scenario(gate: { _, request in if request.path == "/token" { await gate.pass() } })
        scenario.change { $0.token = .error("authorization_pending") }
        let client = try Flow.device.client(of: scenario)
        let device = try await client.beginDeviceSignIn()
        let waiting = Task { try await client.completeDeviceSignIn(device) }
        await gate.arrival()
        waiting.cancel()
        gate.open()
        await expectThrown(CancellationError.self) { try await waiting.value }
        #expect(scenario.count("/token") == 1)
    }

    @Test("DEV-07: Page that is none")
    func DEV_07_pageThatIsNone() async throws {
        let wrong: [JSONValue] = [
            "javascript:alert(1)", "http://id.acme.example/", "file:///x", "x", 5, "https://a@b/",
        ]
        try await refuse(.deviceAuthorization, .wrongFieldType, in: .device, each: wrong) {
            $0.device["verification_uri"] = $1
        }
        // Nobody needs the second, which is left out.
        for value in wrong {
            let scenario = Scenario()
            scenario.change { $0.device["verification_uri_complete"] = value }
            let device = try await Flow.device.client(of: scenario).beginDeviceSignIn()
            #expect(device.verificationURIComplete == nil, "\(value)")
        }
    }

    @Test("DEV-08: Code that drives a terminal")
    func DEV_08_codeThatDrivesATerminal() async throws {
        try await refuse(
            .deviceAuthorization, .wrongFieldType, in: .device,
            each: ["\u{1B}[2J", "a\nb", "a\u{202E}b", "a\u{7F}", "é"]
        ) { $0.device["user_code"] = .string($1) }
    }

    @Test("DEV-09: Nonce that nobody sent")
    func DEV_09_nonceThatNobodySent() async throws {
        let scenario = Scenario()
        try await control(.device)
        await expectRefusal(.nonceMismatch) {
            try await Flow.device.run(scenario) { $0.idToken.claims["nonce"] = "x" }
        }
        #expect(try await scenario.isStoreEmpty())
    }
}
