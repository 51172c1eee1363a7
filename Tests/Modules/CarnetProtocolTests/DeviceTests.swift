import CarnetDescriptors
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

private let endpoint = """
    client: { authentication: [client_secret_basic, none] }

    """

private func provider(_ keys: String = "") throws -> FilledProvider {
    let yaml = Fixture.plain.replacing(
        "endpoints:\n", with: "endpoints:\n  device_authorization: https://plain.example/device\n")
    return try Fixture.provider(yaml + endpoint + keys)
}

private func registration(secret: String? = nil) -> ClientRegistration {
    ClientRegistration(
        clientID: "client", credentials: secret.map { .secret(Secret($0)) } ?? .publicClient,
        redirectURI: Attempt.redirectURI)
}

private func device(_ body: String, _ keys: String = "", status: Int = 200) throws -> DeviceAuthorization {
    let provider = try provider(keys)
    let (request, scopes, _) = try DeviceAuthorization.request(
        in: RequestContext(at: provider, as: registration(), random: SeededRandomSource(seed: 9), now: Attempt.now))
    return try DeviceAuthorization(
        validating: .json(body, status: status), to: request, scopes: scopes, from: provider, now: Attempt.now)
}

private let reply =
    #"{"device_code":"device-code-1","user_code":"BCDF-GHJK","verification_uri":"https://plain.example/activate""#

@Suite("Device authorization")
struct DeviceAuthorizationTests {
    @Test("Request is a form POST")
    func requestIsAFormPost() throws {
        let (request, scopes, _) = try DeviceAuthorization.request(
            in: RequestContext(
                at: try provider(), as: registration(), random: SeededRandomSource(seed: 9), now: Attempt.now))
        #expect(request.bodyText == "scope=read%20write&client_id=client")
        #expect(request.outgoing.head.path == "/device")
        #expect(scopes == ["read", "write"])
    }

    // DEV-01.
    @Test("Response is read")
    func responseIsRead() throws {
        let device = try device(
            reply + #","verification_uri_complete":"https://plain.example/activate?c=1","expires_in":60,"interval":7}"#
        )
        #expect(device.userCode == "BCDF-GHJK")
        #expect(device.verificationURI == "https://plain.example/activate")
        #expect(device.verificationURIComplete == "https://plain.example/activate?c=1")
        #expect(device.expiresAt == Attempt.now + 60)
        #expect(device.interval == 7)
    }

    @Test("What is missing is named", arguments: ["device_code", "user_code", "verification_uri", "expires_in"])
    func whatIsMissingIsNamed(_ name: String) {
        let body = (reply + #","expires_in":60}"#).replacing("\"\(name)\"", with: "\"x\"")
        let error = expectError(.deviceAuthorization, .missingField) { try device(body) }
        #expect(error?.descriptorKey == "device.response.fields.\(name)")
    }

    @Test("A user code that is no text is rejected", arguments: ["5", #""""#])
    func aUserCodeThatIsNoText(_ bad: String) {
        let body = (reply + #","expires_in":60}"#).replacing(#""BCDF-GHJK""#, with: bad)
        expectError(.deviceAuthorization, .wrongFieldType) { try device(body) }
    }

    @Test("Long lifetime is cut to a day")
    func longLifetimeIsCutToADay() throws {
        #expect(try device(reply + #","expires_in":1e8}"#).expiresAt == Attempt.now + 86_400)
    }

    @Test("Refusal carries the server's words")
    func refusalCarriesTheServersWords() {
        let error = expectError(.deviceAuthorization, .serverError) {
            try device(#"{"error":"unauthorized_client"}"#, status: 400)
        }
        #expect(error?.server?.code == "unauthorized_client")
        #expect(error?.descriptorKey == "endpoints.device_authorization")
    }
}

@Suite("Device poll")
struct DevicePollTests {
    private func poll(_ response: IncomingResponse, _ keys: String = "") throws -> DevicePoll {
        let provider = try provider(keys)
        let request = try DevicePoll.request(
            try device(reply + #","expires_in":60}"#, keys),
            in: RequestContext(at: provider, as: registration(), random: SeededRandomSource(seed: 9), now: Attempt.now))
        return try DevicePoll(validating: response, to: request, from: provider)
    }

    @Test("Request has the device code")
    func requestHasTheDeviceCode() throws {
        let request = try DevicePoll.request(
            try device(reply + #","expires_in":60}"#),
            in: RequestContext(
                at: try provider(), as: registration(), random: SeededRandomSource(seed: 9), now: Attempt.now))
        #expect(
            request.bodyText
                == "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=device-code-1&client_id=client"
        )
        #expect(!request.redacted.body.contains("device-code-1"))
    }

    // DEV-03.
    @Test("Pending and slow down are known whatever the status", arguments: [400, 401, 403, 428, 429, 500])
    func pendingAndSlowDownAreKnownWhateverTheStatus(_ status: Int) throws {
        let pending = try poll(.json(#"{"error":"authorization_pending"}"#, status: status))
        if case .pending = pending {} else { Issue.record("\(pending)") }
        let slowDown = try poll(.json(#"{"error":"slow_down"}"#, status: status))
        if case .slowDown = slowDown {} else { Issue.record("\(slowDown)") }
    }

    // DEV-04.
    @Test("End is reported")
    func endIsReported() {
        let denied = expectError(.deviceAuthorization, .serverError) {
            try poll(.json(#"{"error":"access_denied"}"#, status: 400))
        }
        #expect(denied?.disposition == .signInAgain)
        let expired = expectError(.deviceAuthorization, .expiredAttempt) {
            try poll(.json(#"{"error":"expired_token"}"#, status: 400))
        }
        #expect(expired?.disposition == .signInAgain)
        expectError(.deviceAuthorization, .serverError) { try poll(.json(#"{"error":"odd"}"#, status: 400)) }
        expectError(.deviceAuthorization, .serverUnavailable) { try poll(.json("{}", status: 503)) }
    }

    @Test("Provider's own words are understood")
    func providersOwnWordsAreUnderstood() throws {
        let own = "token: { response: { errors: { error: /code, codes: { waiting: authorization_pending } } } }\n"
        let poll = try poll(.json(#"{"code":"waiting"}"#, status: 400), own)
        if case .pending = poll {} else { Issue.record("\(poll)") }
    }

    // DEV-05.
    @Test("Failures double the wait until a response")
    func failuresDoubleTheWaitUntilAResponse() {
        var schedule = DevicePollSchedule(interval: 5)
        #expect([1, 2, 3].map { _ in schedule.waitAfterFailure() } == [10, 20, 40])
        #expect(schedule.wait(after: .pending) == 5)
        for _ in 0..<100 { #expect(schedule.waitAfterFailure() <= 300) }
    }

    @Test("Required pause is kept within reason")
    func demandedPauseIsKeptWithinReason() {
        var schedule = DevicePollSchedule(interval: 5)
        #expect(schedule.wait(after: .pending, demanded: 30) == 30)
        #expect(schedule.wait(after: .pending, demanded: 1) == 5)
        #expect(schedule.wait(after: .pending, demanded: 99_999) == 300)
    }
}
