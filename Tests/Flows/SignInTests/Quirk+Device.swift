import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetSandbox
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

private let endpoints = """
    endpoints:
      authorization: https://odd.example/authorize
      token: https://odd.example/token
      device_authorization: https://odd.example/device

    """

/// Signs in on another device, whose person has confirmed the code before the first request for the tokens.
private func signIn(_ keys: String, secret: String? = nil) async throws -> (SignInFixture, DeviceAuthorization) {
    let descriptor = try oddProvider(endpoints + keys)
    let fixture = try SignInFixture(descriptor, secret: secret)
    let client = try fixture.client(descriptor, clock: fixture.clock)
    let device = try await client.beginDeviceSignIn()
    try await fixture.sandbox.approveDevice(userCode: device.userCode)
    #expect(try await client.completeDeviceSignIn(device).tokens().accessToken.isEmpty == false)
    return (fixture, device)
}

extension Quirk {
    static let device = [
        Quirk(
            "the fields of the response have other names or places", key: "`device.response`",
            neededBy: "Google (verification_url), Trakt, the device flow of Baidu (expire_in)"
        ) {
            let (_, device) = try await signIn(
                """
                device:
                  response:
                    root: /data
                    fields: { verification_uri: [/verification_url, /verification_uri], expires_in: /expire_in }
                """
            )
            #expect(device.verificationURI == "https://odd.example/activate")
        },
        Quirk(
            "the grant type and the code's parameter have other names",
            key: "`device.token.grant_type`, `device.token.rename`",
            neededBy: "the former device flow of Google (http://oauth.net/grant_type/device/1.0, code)"
        ) {
            let (fixture, _) = try await signIn(
                """
                device:
                  token: { grant_type: "http://oauth.net/grant_type/device/1.0", rename: { device_code: code } }
                """
            )
            #expect(
                await fixture.wire(.token) == [
                    "POST https://odd.example/token\n"
                        + "grant_type=http%3A%2F%2Foauth.net%2Fgrant_type%2Fdevice%2F1.0"
                        + "&code=d%2F%2B%26%3D%2541%20*&client_id=client"
                ])
        },
        Quirk(
            "a device requests its tokens at another endpoint than other clients", key: "`endpoints.device_token`",
            neededBy: "Trakt, the device flow of Facebook"
        ) {
            let (fixture, _) = try await signIn(
                """
                  device_token: https://odd.example/device/token
                device:
                  token: { omit: [grant_type], rename: { device_code: code } }
                """
            )
            #expect(await fixture.requests(to: .token).isEmpty)
            #expect(
                await fixture.wire(.deviceToken) == [
                    "POST https://odd.example/device/token\ncode=d%2F%2B%26%3D%2541%20*&client_id=client"
                ])
        },
        Quirk(
            "only the status says why a device gets no tokens yet", key: "`device.token.response.errors.statuses`",
            neededBy: "Trakt"
        ) {
            let descriptor = try oddProvider(
                endpoints + """
                    device:
                      token:
                        response:
                          root: /data
                          errors:
                            statuses:
                              400: authorization_pending
                              410: expired_token
                              418: access_denied
                              429: slow_down
                    """)
            let fixture = try SignInFixture(descriptor)
            let userCode = Lock("")
            let client = try fixture.client(
                descriptor,
                clock: ApprovingClock(clock: fixture.clock, approveAfter: 2) {
                    try await fixture.sandbox.approveDevice(userCode: userCode.withLock { $0 })
                })
            let device = try await client.beginDeviceSignIn()
            userCode.withLock { $0 = device.userCode }
            #expect(try await client.completeDeviceSignIn(device).tokens().accessToken.isEmpty == false)
            let first = try #require(fixture.responses.all.first { $0.status == 400 })
            #expect(first.body.isEmpty)
            #expect(try fixture.lastResponse().hasPrefix(#"200 {"data":{"access_token":"*","#))
            let denied = try await client.beginDeviceSignIn()
            await fixture.sandbox.setFaults([.denied])
            try? await fixture.sandbox.approveDevice(userCode: denied.userCode)
            let error = await #expect(throws: OAuthError.self) { try await client.completeDeviceSignIn(denied) }
            #expect(error?.server?.code == "access_denied" && error?.status == 418)
        },
        Quirk(
            "additional parameters in the request for the codes", key: "`device.parameters`",
            neededBy: "the device flow of Baidu (response_type=device_code)"
        ) {
            let (fixture, _) = try await signIn("device: { parameters: { response_type: device_code } }")
            #expect(
                await fixture.wire(.deviceAuthorization) == [
                    "POST https://odd.example/device\nscope=read&client_id=client&response_type=device_code"
                ])
        },
    ]
}
