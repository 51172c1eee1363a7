import CarnetDescriptors

/// Why Carnet cannot write the files that somebody asked for.
package struct WritingError: Error, Sendable, CustomStringConvertible {
    package let description: String
    /// What to do next.
    package let next: [String]

    package init(_ description: String, next: [String] = []) { (self.description, self.next) = (description, next) }

    /// For a name that is none of `names`.
    package init(unknown name: String, _ kind: String, in names: [String], next: String) {
        let nearest = nearestName(to: name, in: names).map { "; did you mean \($0)?" } ?? ""
        self.init("unknown \(kind) \"\(name)\"\(nearest)", next: [next])
    }
}
