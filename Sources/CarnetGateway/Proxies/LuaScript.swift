/// The part that the scripts of all proxies with Lua share.
extension ProxySetup {
    /// The beginning of a script. It declares `identity`, `hop`, `question` (the first lines of a request for a decision) and `ask`.
    ///
    /// - Parameter socket: The expression that makes a socket.
    func luaBeginning(socket: String) -> String {
        let isSocket = if case .socket = gateway { true } else { false }
        return fill(
            PackageResources.ask_lua,
            [
                "address": .text(address(socket: "unix@")), "socket": .flag(isSocket), "tcp": .text(socket),
                "identity": .text(Self.luaSet(headers)),
            ])
    }

    /// The entries of a table with these names of headers, in lower case.
    static func luaSet(_ names: [String]) -> String {
        names.map { "[\"\($0.lowercased())\"] = true" }.joined(separator: ", ")
    }
}
