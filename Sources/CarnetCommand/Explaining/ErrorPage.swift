import Carnet
import CarnetProtocol

/// The row of an error in `Docs/errors.md`, for a program without the documents.
struct ErrorPage {
    let row: ErrorRow

    /// What a program does with the error.
    var reaction: String {
        // The disposition of an error of the server depends on its code.
        guard row.kind != .serverError else { return "depends on the code that the server returned" }
        return switch OAuthError(.callback, row.kind, "").disposition {
        case .signInAgain: "the user signs in again; a retry does not help"
        case .tryLater: "try again later; the tokens are kept"
        case .fixConfiguration: "change the descriptor, the registration or the call; a retry does not help"
        case .refused: "the response or request was discarded, because it cannot be trusted; begin again"
        }
    }

    /// Each cause with its next step.
    var steps: [(cause: String, next: String)] { row.advice.map { ($0.cause, $0.text) } }

    var lines: [String] {
        [
            "\(row.kind.rawValue): a kind of error of a sign-in or call", "",
            "  what happened    \(row.summary)", "  who can fix it   \(row.fixedBy)", "  what to do       \(reaction)",
        ]
            + steps.enumerated().map { index, step in
                (index == 0 ? "  next step        " : "                   ")
                    + (step.cause.isEmpty ? step.next : "\(step.cause): \(step.next)")
            }
    }

    static func page(_ name: String) -> ErrorPage? {
        let wanted = name.lowercased()
        return ErrorRow.all.first { $0.kind.rawValue.lowercased() == wanted }.map { ErrorPage(row: $0) }
    }
}
