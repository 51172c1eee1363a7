import Carnet
import CarnetApple
import CarnetApple
import CarnetURLSession
import Foundation
import SwiftUI

@main
struct ExampleApp: App {
    @State private var signIn = Result { try ExampleApp.makeSignIn() }

    var body: some Scene {
        WindowGroup {
            switch signIn {
            case .success(let model): ContentView(signIn: model).task { await model.restore() }
            case .failure(let error): Text(verbatim: "\(error)")
            }
        }
    }

    private static func makeSignIn() throws -> SignInModel {
        var registry = ProviderRegistry()
        try registry.add(folder: Bundle.main.resourcePath ?? ".")
        let client = try OAuthClient(
            registry.descriptor("acme"),
            registration: ClientRegistration(clientID: "YOUR-CLIENT-ID", redirectURI: "com.example.app:/callback"),
            transport: URLSessionTransport(), store: KeychainStore())
        return SignInModel(client, agent: WebAuthenticationSessionUserAgent())
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
