// Written from Apple's public documentation, to type-check on Linux. Nothing here is run.

public import Foundation

@MainActor open class NSResponder: NSObject {
    public nonisolated override init() {}
}
@MainActor open class NSWindow: NSResponder {
    public final var isMainWindow: Bool { false }
    public final var isKeyWindow: Bool { false }
    public final var isVisible: Bool { false }
}
@MainActor open class NSApplication: NSResponder {
    public class var shared: NSApplication { preconditionFailure() }
    public final var windows: [NSWindow] { [] }
}
@MainActor open class NSViewController: NSResponder {
    open func viewDidLoad() {}
}
