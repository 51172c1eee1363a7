public import Foundation

/// The current time.
public protocol WallClock: Sendable {
    var now: Date { get }
}
