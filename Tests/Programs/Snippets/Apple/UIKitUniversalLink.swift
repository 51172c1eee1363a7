import Carnet
import CarnetApple
import SwiftUI
import UIKit

@MainActor
func modelWithUniversalLinks(_ client: OAuthClient) -> SignInModel {
    SignInModel(
        client,
        urls: URLSignIn(client: client, pending: KeychainStore()) { url in
            await UIApplication.shared.open(url)
        }
    )
}

struct RootView: View {
    let signIn: SignInModel

    var body: some View {
        SignInButton(signIn)
            .onOpenURL { url in Task { await signIn.open(url) } }
    }
}
