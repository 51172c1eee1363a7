package import CarnetDescriptors
import CarnetFoundation

/// A client registration that cannot be used, with what to do next.
package struct RegistrationError: Error, Described {
    package var reason: String
    /// What to do next, one step a line.
    package var next: [String]

    package init(_ reason: String, next: [String] = []) { (self.reason, self.next) = (reason, next) }

    /// - Parameter file: A clients file with mistakes. Their lines are not quoted: they hold secrets.
    init(_ file: ClientsFile) {
        self.init(file.diagnostics.map { $0.description + ($0.help.map { "; \($0)" } ?? "") }.joined(separator: "\n"))
    }

    package var summary: String { ([reason] + next).joined(separator: "\n") }
}
