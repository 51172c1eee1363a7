import CarnetApple
import SwiftUI

@main
struct Auth0App: App {
    @State private var greeting = Result { try Greeting(SignInModel(OAuthClient(.auth0))) }

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
