import CarnetFoundation

/// The width of the terminal that a channel goes to.
enum TerminalWidth {
    static let usual = 80

    /// The columns that `COLUMNS` names, or that the terminal has; `nil` for a file or a pipe.
    static func columns(of channel: OutputChannel, _ environment: HostEnvironment) -> Int? {
        guard channel.isTerminal else { return nil }
        if let text = environment["COLUMNS"], let columns = Int(text), columns > 0 { return columns }
        var size = winsize()
        guard ioctl(channel.rawValue, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// The width for a text that is wrapped on every channel.
    static func forHelp(_ environment: HostEnvironment) -> Int {
        if let text = environment["COLUMNS"], let columns = Int(text), columns > 0 { return columns }
        return columns(of: .standardOutput, environment) ?? usual
    }
}
