import Carnet
import CarnetApple
import CarnetApple
import CarnetURLSession
import SwiftUI

@main
struct Auth0App: App {
    @State private var greeting = Result {
        try Greeting(
            Greeting.client(
                id: "YOUR-CLIENT-ID", domain: "dev-example.us.auth0.com", bundleID: "com.example.auth0test",
                transport: URLSessionTransport(), store: KeychainStore()),
            agent: WebAuthenticationSessionUserAgent())
    }

    var body: some Scene {
        WindowGroup {
            switch greeting {
            case .success(let greeting): GreetingView(greeting).task { await greeting.signIn.restore() }
            case .failure(let error): Text(verbatim: "\(error)")
            }
        }
    }
}

struct GreetingView: View {
    private let greeting: Greeting

    init(_ greeting: Greeting) {
        self.greeting = greeting
    }

    var body: some View {
        VStack(spacing: 16) {
            Text(verbatim: greeting.text)
            if greeting.signIn.session == nil {
                SignInButton(greeting.signIn)
            } else {
                Button("Log out") { Task { await greeting.logOut() } }
            }
            SignInStatus(greeting.signIn)
        }
        .padding()
        .task(id: greeting.signIn.phase) { await greeting.load() }
    }
}
