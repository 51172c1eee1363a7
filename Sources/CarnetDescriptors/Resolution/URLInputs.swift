/// An input of a URL's template whose value could move the URL to a host that the author did not mean.
package struct URLInputRefusal: Hashable, Sendable {
    package let input: String
    /// The predicate of a sentence about the input.
    package let reason: String
    package let help: String
}

extension Template {
    /// Why the template is refused, independently of the values of the inputs: the authority of the filled URL must end
    /// where the template's does, and its last part, which decides whose host it is, must be the author's.
    ///
    /// - Parameters:
    ///   - issuer: What `{issuer}` stands for, unless an input has that name.
    ///   - isAuthority: Whether the template is a host, without a scheme.
    package func refusal(
        ofInputs rules: NamedList<InputRules>, issuer: Template?, isAuthority: Bool = false
    ) -> URLInputRefusal? {
        guard usesInputs else { return nil }
        var reader = URLInputReader(rules, issuer, startsInAuthority: isAuthority)
        // A URL below another one: what stands before it has ended its authority.
        if !isAuthority, source.utf8.first == UInt8(ascii: "/") { reader.skipAuthority() }
        reader.read(self)
        return reader.result()
    }
}

/// Reads a URL's template from left to right, and knows in which part of the URL it is.
private struct URLInputReader {
    private enum Region { case scheme, authority, port, rest }

    private struct Host {
        let name: String
        let isPath: Bool
        let isLimited: Bool
        /// Whether its first label has nothing of the author.
        let isWholeLabel: Bool
    }

    private let rules: NamedList<InputRules>
    private var issuer: Template?
    private var region: Region
    private var refusal: URLInputRefusal?
    /// Whether the authority has nothing yet.
    private var isAtStart: Bool
    /// A `hostname` or `host_path` that the next part has to leave its end.
    private var lastHost: Host?
    /// The last identifier in the host that nothing limits, how many labels follow its own, and whether its label has
    /// nothing of the author.
    private var open: (name: String, labels: Int, isWholeLabel: Bool)?
    /// Whether the label so far has nothing of the author.
    private var isFreeLabel = true
    private var isAfterDot = false
    /// Whether the host has text of the author, or values that he limited.
    private var hasOwnText = false

    init(_ rules: NamedList<InputRules>, _ issuer: Template?, startsInAuthority: Bool) {
        (self.rules, self.issuer, isAtStart) = (rules, issuer, startsInAuthority)
        region = startsInAuthority ? .authority : .scheme
    }

    mutating func skipAuthority() { region = .rest }

    mutating func read(_ template: Template) {
        for part in template.parts where refusal == nil {
            switch part {
            case .literal(let text): read(literal: text)
            case .input(let name): read(input: name)
            case .late(.value(let value), _) where value.origin == .input: read(input: value.name)
            case .late(let expression, _): read(expression)
            }
        }
    }

    mutating func result() -> URLInputRefusal? {
        if region == .authority || region == .port { endAuthority() }
        return refusal
    }

    private mutating func read(literal text: String) {
        guard region != .rest else { return }
        var bytes = text.utf8[...]
        if region == .scheme {
            repeat {
                guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return }
                bytes = bytes[bytes.index(after: colon)...]
            } while !bytes.starts(with: "//".utf8)
            bytes = bytes.dropFirst(2)
            (region, isAtStart) = (.authority, true)
        }
        for byte in bytes {
            guard region != .rest, refusal == nil else { return }
            read(byte)
        }
    }

    private mutating func read(_ byte: UInt8) {
        if let host = lastHost {
            guard (host.isPath ? "/?" : "/?.:").utf8.contains(byte) else { return refuseSplit(host) }
            if byte == UInt8(ascii: "."), !host.isLimited { open = (host.name, 0, host.isWholeLabel) }
            lastHost = nil
        }
        isAtStart = false
        switch byte {
        case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"):
            endAuthority()
            region = .rest
        case UInt8(ascii: ":") where region == .authority: region = .port
        case _ where region == .authority:
            if byte == UInt8(ascii: ".") {
                (isAfterDot, isFreeLabel) = (true, true)
            } else {
                takeOwnText()
            }
        default: break
        }
    }

    private mutating func read(input name: String) {
        guard let rule = rules[name] else {
            // Another check names an input that is not declared.
            guard name == Template.issuerName, let issuer else { return }
            // In the issuer itself, the name stands for nothing.
            self.issuer = nil
            read(issuer)
            self.issuer = issuer
            return
        }
        // A secret has no place in any URL: another check says so.
        guard !rule.isSecret else { return }
        if region != .rest, rules.mayHoldClientID(name) {
            return refuse(
                name, "has the client id in its default, and a server that registers clients chooses their ids",
                "use it behind the host, in the path or the query")
        }
        if let host = lastHost { return refuseSplit(host) }
        switch rule.type {
        case .text:
            refuse(
                name, "is of type text, whose values can contain a slash, a question mark or an @",
                "declare it as identifier, hostname, or host_path for a whole host with a path, or write {urlencode(input.\(name))} behind the host"
            )
        case .hostPath where region != .authority || !isAtStart:
            refusePath(name)
        case .hostname, .hostPath:
            if region == .authority {
                lastHost = Host(
                    name: name, isPath: rule.type == .hostPath, isLimited: rule.isLimited, isWholeLabel: isFreeLabel)
                // What stands before it is a part of that host.
                open = nil
                (isFreeLabel, isAfterDot) = (false, false)
            }
        case .identifier where region == .authority:
            if rule.isLimited {
                takeOwnText()
                open?.labels += rule.allowed.map { $0.utf8.count { $0 == UInt8(ascii: ".") } }.min() ?? 0
            } else {
                // Less follows it than an earlier one.
                open = (name, 0, isFreeLabel)
                isAfterDot = false
            }
        case .identifier: break
        }
        isAtStart = false
    }

    /// Takes text of the author in the host.
    private mutating func takeOwnText() {
        if isAfterDot {
            open?.labels += 1
        } else if isFreeLabel, open?.labels == 0 {
            open?.isWholeLabel = false
        }
        (isAfterDot, isFreeLabel, hasOwnText) = (false, false, true)
    }

    private mutating func read(_ expression: TemplateExpression) {
        if let host = lastHost { return refuseSplit(host) }
        for input in expression.plainInputs where rules[input]?.type == .text && rules[input]?.isSecret == false {
            // What a function makes of it is checked when the URL is filled; a default's text is not.
            if region != .rest {
                refuse(
                    input, "is of type text, whose values can contain a slash, a question mark or an @",
                    "declare it as identifier, hostname or host_path")
            }
        }
        // The author's own text from a table, or a host that has to be in trusted_hosts.
        if region == .scheme { region = .authority }
        if region == .authority {
            open = nil
            (isAtStart, hasOwnText, isFreeLabel, isAfterDot) = (false, true, false, false)
        }
    }

    private mutating func endAuthority() {
        guard let open, hasOwnText, open.labels < (open.isWholeLabel ? 1 : 2) else {
            self.open = nil
            return
        }
        refuse(
            open.name, "chooses whose host a URL has",
            "limit it with enum or pattern, or use an input of type hostname at the end of the host")
    }

    private mutating func refuseSplit(_ host: Host) {
        if host.isPath {
            refusePath(host.name)
        } else {
            refuse(
                host.name, "is a host name with something other than a dot, a port or a path behind it",
                "write a dot or a slash behind it")
        }
    }

    private mutating func refusePath(_ name: String) {
        refuse(
            name,
            "is of type host_path, which has to be the whole host of a URL: behind ://, and before /, ? or the end",
            "declare it as hostname or identifier")
    }

    private mutating func refuse(_ input: String, _ reason: String, _ help: String) {
        if refusal == nil { refusal = URLInputRefusal(input: input, reason: reason, help: help) }
    }
}

extension NamedList<InputRules> {
    /// Whether the client id is in the default of an input, also by way of other inputs.
    fileprivate func mayHoldClientID(_ name: String) -> Bool {
        var known: Set<String> = []
        var open = [name]
        while let next = open.popLast() {
            guard known.insert(next).inserted, let rules = self[next] else { continue }
            if rules.isOfClient { return true }
            open += rules.defaultValue?.inputNames ?? []
        }
        return false
    }
}

extension InputRules {
    /// Whether the author says which values there are.
    fileprivate var isLimited: Bool { !allowed.isEmpty || pattern != nil }
}

extension TemplateExpression {
    /// The inputs whose text is in the value as it is written: `urlencode` and hashes leave no delimiter of it, and
    /// `urldecode` may bring one back.
    fileprivate var plainInputs: [String] {
        switch self {
        case .value(let reference): reference.origin == .input ? [reference.name] : []
        case .urlencode, .base64url, .sha256, .hmacSHA256, .mapped: []
        case .urldecode(let operand): operand.references.filter { $0.origin == .input }.map(\.name)
        default: operands.flatMap(\.plainInputs)
        }
    }
}
