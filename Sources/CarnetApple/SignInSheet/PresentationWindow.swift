#if canImport(AuthenticationServices) && !os(watchOS) && !os(tvOS)
    import AuthenticationServices

    #if canImport(UIKit)
        import UIKit

        @available(iOSApplicationExtension, unavailable)
        @available(visionOSApplicationExtension, unavailable)
        @MainActor
        enum PresentationWindow {
            static var current: ASPresentationAnchor? {
                UIApplication.shared.connectedScenes
                    .compactMap { $0 as? UIWindowScene }
                    .flatMap { scene in
                        scene.windows.map { window in
                            WindowCandidate(
                                window,
                                isActive: scene.activationState == .foregroundActive,
                                isVisible: scene.activationState != .unattached
                                    && scene.activationState != .background && !window.isHidden,
                                isKey: window.isKeyWindow)
                        }
                    }
                    .frontWindow()
            }
        }
    #elseif canImport(AppKit)
        import AppKit

        @MainActor
        enum PresentationWindow {
            static var current: ASPresentationAnchor? {
                NSApplication.shared.windows.map { window in
                    WindowCandidate(
                        window, isActive: window.isMainWindow, isVisible: window.isVisible, isKey: window.isKeyWindow)
                }
                .frontWindow()
            }
        }
    #endif
#endif
