import CarnetApple
import Foundation

/// The store of the app and of its widget.
func sharedStore() -> KeychainStore {
    KeychainStore(accessGroup: "ABCDE12345.com.example.shared") { error in
        NSLog("%@", "\(error)")
    }
}

/// The data of the widget; `nil` if nobody is signed in.
func widgetData(from url: String) async throws -> [UInt8]? {
    let client = try OAuthClient(.google, store: sharedStore())
    guard let account = try await client.accounts().first else { return nil }
    return try await client.session(for: account)?.send(HTTPRequest(url: url)).body
}
