package import Carnet

/// The results of the Keychain that a store distinguishes (`Security/SecBase.h`).
package enum KeychainStatus {
    package static let success: Int32 = 0
    package static let duplicateItem: Int32 = -25_299
    package static let itemNotFound: Int32 = -25_300
    package static let interactionNotAllowed: Int32 = -25_308
    package static let missingEntitlement: Int32 = -34_018
    package static let notAvailable: Int32 = -25_291
    package static let authenticationFailed: Int32 = -25_293
}

extension TokenStoreError {
    /// - Parameter call: What was to be done, e.g. `save the account`.
    package init(keychain status: Int32, to call: String) {
        let cause =
            switch status {
            case KeychainStatus.interactionNotAllowed:
                "the device was not unlocked since it was started; try again after the first unlock"
            case KeychainStatus.missingEntitlement:
                "the application lacks the entitlement for this access group; add the capability Keychain Sharing, with "
                    + "the group, to the target"
            case KeychainStatus.notAvailable: "the Keychain is unavailable"
            case KeychainStatus.authenticationFailed: "the system refused access"
            default: "the reason is unknown"
            }
        self.init(.unavailable, "the Keychain did not \(call): \(cause) (OSStatus \(status))")
        systemCode = status
    }
}
