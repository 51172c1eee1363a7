import ArgumentParser
import CarnetDescriptors

// A command line has many options with a value, and each says in the help what the value is called.

extension Option {
    /// - Parameters:
    ///   - name: The long name, unless it is that of the property.
    ///   - value: The name of the value in the help.
    init<T: ExpressibleByArgument>(
        _ name: String? = nil, value: String, _ help: String, completion: CompletionKind? = nil
    ) where Value == T? {
        self.init(
            name: name.map { .customLong($0) } ?? .long, help: ArgumentHelp(help, valueName: value),
            completion: completion)
    }

    /// An option that may be repeated.
    init(
        wrappedValue: [String], _ name: String? = nil, value: String, _ help: String, completion: CompletionKind? = nil
    ) where Value == [String] {
        self.init(
            wrappedValue: wrappedValue, name: name.map { .customLong($0) } ?? .long,
            help: ArgumentHelp(help, valueName: value), completion: completion)
    }
}

extension Argument {
    init(value: String, _ help: String, completion: CompletionKind? = nil) where Value == String {
        self.init(help: ArgumentHelp(help, valueName: value), completion: completion)
    }

    init(value: String, _ help: String, completion: CompletionKind? = nil) where Value == String? {
        self.init(help: ArgumentHelp(help, valueName: value), completion: completion)
    }

    init(
        wrappedValue: [String], value: String, _ help: String, completion: CompletionKind? = nil
    ) where Value == [String] {
        self.init(
            wrappedValue: wrappedValue, help: ArgumentHelp(help, valueName: value), completion: completion)
    }
}

/// Reads one of the names that an option allows.
///
/// - Parameter suggests: Whether the nearest name is suggested for a wrong one.
func name<Value: CaseIterable & RawRepresentable<String> & Sendable>(
    of option: String, suggests: Bool = false
) -> @Sendable (String) throws -> Value where Value.AllCases == [Value] {
    { text in
        guard let value = Value(rawValue: text) else {
            let names = Value.allCases.map(\.rawValue)
            let nearest = suggests ? nearestName(to: text, in: names) : nil
            throw ValidationError(
                nearest.map { "did you mean \($0)?" } ?? "\(option) must be one of: " + names.joined(separator: ", "))
        }
        return value
    }
}

/// A rule for options that a command line may break.
func refuse(if isBroken: Bool, _ rule: String) throws {
    if isBroken { throw ValidationError(rule) }
}

/// Refuses the options that another leaves without an effect: no option is ignored.
///
/// - Parameter others: Each of them, and whether the command line has it.
func refuse(_ others: [(String, Bool)], beside option: String, _ reason: String) throws {
    let given = others.filter(\.1).map(\.0).joined(separator: " and ")
    try refuse(if: !given.isEmpty, "\(given) cannot be combined with \(option): \(reason)")
}
