import Carnet
import CarnetApple
import CarnetSwiftUI
import CarnetURLSession
import Foundation
import SwiftUI

@main
struct ExampleApp: App {
    @State private var signIn = try? SignInModel(
        OAuthClient(
            registry.descriptor("acme"),
            registration: ClientRegistration(clientID: "YOUR-CLIENT-ID", redirectURI: "com.example.app:/callback"),
            transport: URLSessionTransport(),
            store: KeychainStore()
        ),
        agent: WebAuthenticationSessionUserAgent()
    )

    var body: some Scene {
        WindowGroup {
            if let signIn {
                ContentView(signIn: signIn).task { await signIn.restore() }
            }
        }
    }
}

struct ContentView: View {
    let signIn: SignInModel

    var body: some View {
        switch signIn.phase {
        case .signedIn: Button("Sign out") { Task { await signIn.signOut() } }
        default: ProviderList([signIn])
        }
    }
}

private let registry = ProviderRegistry()
