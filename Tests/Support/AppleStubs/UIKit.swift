// Written from Apple's public documentation, to type-check on Linux. Nothing here is run.

public import Foundation

@MainActor open class UIResponder: NSObject {
    public nonisolated override init() {}
}
@MainActor open class UIView: UIResponder {
    public final var isHidden = false
    public final var window: UIWindow? { nil }
}
@MainActor open class UIWindow: UIView {
    public final var isKeyWindow: Bool { false }
}
@MainActor open class UIScene: UIResponder {
    public enum ActivationState: Int, Sendable {
        case unattached = -1
        case foregroundActive = 0
        case foregroundInactive = 1
        case background = 2
    }
    public final var activationState: ActivationState { .unattached }
}
@MainActor open class UIWindowScene: UIScene {
    public final var windows: [UIWindow] { [] }
}
@MainActor open class UIApplication: UIResponder {
    public class var shared: UIApplication { preconditionFailure() }
    public final var connectedScenes: Set<UIScene> { [] }
    public final func open(_ url: URL) async -> Bool { false }
}
@MainActor open class UIViewController: UIResponder {
    public final var view: UIView! { nil }
    open func viewDidLoad() {}
    open func present(
        _ viewControllerToPresent: UIViewController, animated flag: Bool, completion: (() -> Void)? = nil
    ) {}
    open func dismiss(animated flag: Bool, completion: (() -> Void)? = nil) {}
}
