/// Why an environment variable that a person named has no value.
package struct VariableError: Error, Equatable {
    /// The option, key or value that takes the name.
    private let place: String
    private let fault: Fault

    private enum Fault: Equatable {
        /// Perhaps the secret itself, so no message repeats it. For `$NAME`, the name.
        case noName(meant: String?)
        /// A name as secrets may have, too.
        case unlikely
        case notSet(String)
        case empty(String)
    }

    fileprivate init(_ name: String, at place: String, isEmpty: Bool) {
        self.place = place
        fault =
            if !name.isVariableName { .noName(meant: name.nameOfVariable) } else if isEmpty { .empty(name) } else {
                name.isLikelyVariableName ? .notSet(name) : .unlikely
            }
    }

    package static let noName = "takes the name of a variable, not the secret"

    /// The fault, with the place before it.
    package var reason: String {
        switch fault {
        case .noName: "\(place) \(Self.noName)"
        case .unlikely: "\(place) \(Self.noName), and no variable with the name that it has is set"
        case .notSet(let name): "\(place): the environment variable \(name) is not set"
        case .empty(let name): "\(place): the environment variable \(name) is empty"
        }
    }

    /// What to do next.
    ///
    /// - Parameter value: The value, as a shell writes it.
    package func next(value: String = "…") -> String {
        switch fault {
        case .noName(let meant?): "write the name alone: \(meant)"
        case .noName(nil), .unlikely:
            "put the secret into a variable, export ACME_SECRET=…, and write its name: ACME_SECRET"
        case .notSet(let name), .empty(let name): "set it: export \(name)=\(value)"
        }
    }
}

extension [String: String] {
    /// The value of the variable that a person named.
    ///
    /// - Parameter place: What took the name.
    package func value(ofVariable name: String, at place: String) throws(VariableError) -> String {
        guard let value = self[name], !value.isEmpty else {
            throw VariableError(name, at: place, isEmpty: self[name] != nil)
        }
        return value
    }
}

extension String {
    /// Whether people call a variable so. Tokens, too, have only letters, digits and underscores; but they mix the cases, have
    /// many digits, or are long words.
    fileprivate var isLikelyVariableName: Bool {
        let letters = utf8.filter { !ASCII.isDigit($0) && $0 != UInt8(ascii: "_") }
        let isLarge = letters.allSatisfy { (0x41...0x5A).contains($0) }
        let isSmall = letters.allSatisfy { (0x61...0x7A).contains($0) }
        let digits = utf8.count(where: ASCII.isDigit)
        return (isLarge || isSmall) && digits <= 4
            && split(separator: "_").allSatisfy { $0.utf8.count <= 16 }
    }

    /// Whether a shell can set a variable of this name.
    package var isVariableName: Bool {
        guard let first = utf8.first, !ASCII.isDigit(first) else { return false }
        return utf8.allSatisfy { ASCII.isAlphanumeric($0) || $0 == UInt8(ascii: "_") }
    }
}
