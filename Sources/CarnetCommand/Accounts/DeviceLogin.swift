import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetSandbox

/// A sign-in that the user confirms on another device.
struct DeviceLogin {
    let client: OAuthClient
    let connector: Connector
    let console: Console
    /// The limit of `--timeout` for the user, in seconds.
    let timeout: Int?

    func signIn(scopes: [String]?, resources: [String], account: String?, choosing: ConnectionChooser?) async throws
        -> Session
    {
        var device = try await console.showing("requesting a code") {
            try await client.beginDeviceSignIn(scopes: scopes, resource: resources)
        }
        console.note("open this address on any device:")
        console.note(connector.shownURL(device.verificationURI))
        console.note("and enter the code: \(device.userCode.printable)")
        if let complete = device.verificationURIComplete {
            console.note("or open this address, which has the code:")
            console.note(connector.shownURL(complete))
        }
        let now = SystemWallClock().now
        if let timeout { device.expiresAt = min(device.expiresAt, now.addingTimeInterval(TimeInterval(timeout))) }
        let seconds = Int(device.expiresAt.timeIntervalSince(now).rounded(.up))
        console.note("waiting for the sign-in, at most \(Duration.seconds(seconds).inSeconds); Ctrl-C stops it")
        return try await console.showing("waiting for the other device") {
            try await client.completeDeviceSignIn(device, account: account, choosing: choosing)
        }
    }
}
