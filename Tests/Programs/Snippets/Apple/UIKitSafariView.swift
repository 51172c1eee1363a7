import CarnetApple
import Foundation
import SafariServices
import UIKit

/// Shows the provider's page inside the app.
@MainActor
func modelWithSafariView(_ client: OAuthClient, over controller: UIViewController) -> SignInModel {
    SignInModel(
        client,
        urls: URLSignIn(client: client, pending: KeychainStore()) { @MainActor [weak controller] url in
            controller?.present(SFSafariViewController(url: url), animated: true)
            return controller != nil
        }
    )
}

/// For `onOpenURL`, or for the scene's delegate.
@MainActor
func receive(_ url: URL, for model: SignInModel, over controller: UIViewController) async {
    if await model.open(url) { controller.dismiss(animated: true) }
}
