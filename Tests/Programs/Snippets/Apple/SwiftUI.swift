import CarnetApple
import SwiftUI

@main
struct ExampleApp: App {
    @State private var signIn = Result {
        try SignInModel(OAuthClient(.google, clientID: "YOUR-CLIENT-ID", redirectURI: "com.example.app:/callback"))
    }

    var body: some Scene {
        WindowGroup { ProviderList(signIn) }
    }
}
