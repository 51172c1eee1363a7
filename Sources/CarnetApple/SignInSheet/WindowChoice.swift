/// A window that the sign-in sheet could be shown over.
package struct WindowCandidate<Window> {
    package var window: Window
    /// Whether its scene, or the application, is in front of the user.
    package var isActive: Bool
    package var isVisible: Bool
    /// Whether it receives what is typed.
    package var isKey: Bool

    package init(_ window: Window, isActive: Bool, isVisible: Bool, isKey: Bool) {
        (self.window, self.isActive, self.isVisible, self.isKey) = (window, isActive, isVisible, isKey)
    }
}

extension Sequence {
    /// The window that the user is looking at: in front before on screen, the key window before others, the first before
    /// the next. A window that is not on screen is not chosen, since the system would show nothing.
    package func frontWindow<Window>() -> Window? where Element == WindowCandidate<Window> {
        func rank(_ candidate: Element) -> Int { (candidate.isActive ? 2 : 0) + (candidate.isKey ? 1 : 0) }
        // Of several maxima, this is the first.
        return filter(\.isVisible).max { rank($0) < rank($1) }?.window
    }
}
