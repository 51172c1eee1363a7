import CarnetDescriptors
import CarnetFoundation
import CarnetWeb

/// What is wrong with the files that the demonstration reads again while it runs.
final class DemoNews: Sendable {
    private let problemsByPlace = Lock<[String: [String]]>([:])

    /// One text for each problem, by place.
    var problems: [String] { problemsByPlace.withLock { places in places.sorted { $0.key < $1.key }.flatMap(\.value) } }

    func note(_ problems: [String], at place: String) {
        problemsByPlace.withLock { $0[place] = problems.isEmpty ? nil : problems }
    }
}
