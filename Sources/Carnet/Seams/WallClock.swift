public import Foundation

/// Tells the time.
public protocol WallClock: Sendable {
    var now: Date { get }
}
