import CarnetDescriptors
import CarnetFoundation

/// One thing that was checked in an installation.
struct InstallationCheck: Sendable {
    enum Outcome: String, Sendable {
        case ok
        /// Something that only some commands need.
        case note
        case problem
    }

    let name: String
    let outcome: Outcome
    let text: String
    /// What to do.
    let next: String?

    static func ok(_ name: String, _ text: String) -> Self { Self(name: name, outcome: .ok, text: text, next: nil) }

    static func note(_ name: String, _ text: String, next: String?) -> Self {
        Self(name: name, outcome: .note, text: text, next: next)
    }

    static func problem(_ name: String, _ text: String, next: String?) -> Self {
        Self(name: name, outcome: .problem, text: text, next: next)
    }

    /// The problem that an error describes.
    static func problem(_ name: String, _ error: any Error) -> Self {
        let failure = Failure(describing: error)
        return problem(name, failure.summary, next: failure.next.isEmpty ? nil : failure.next.joined(separator: "; "))
    }

    var json: JSONValue {
        [
            "name": .string(name), "outcome": .string(outcome.rawValue), "message": .string(text),
            "next": .optional(next),
        ]
    }
}
