/// What fills a place of a template.
enum TemplateValue: ExpressibleByStringInterpolation {
    /// Nothing, if it is empty.
    case text(String)
    /// The values of each element. They come before those around the list.
    case list([[String: TemplateValue]])

    init(stringLiteral text: String) { self = .text(text) }

    static func flag(_ value: Bool) -> TemplateValue { .text(value ? "yes" : "") }

    /// Names of headers, in the forms that the configurations have.
    static func headers(_ names: [String]) -> TemplateValue {
        .list(
            names.map { name in
                let lower = name.lowercased()
                // In placeholders of Caddy: capital letters at the beginning and after hyphens alone.
                let canonical = lower.split(separator: "-", omittingEmptySubsequences: false)
                    .map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: "-")
                return [
                    "name": .text(name), "lower": .text(lower), "canonical": .text(canonical),
                    "variable": .text(lower.replacing("-", with: "_")),
                    "escaped": .text(lower.replacing("-", with: "%-")),
                ]
            })
    }
}

/// A configuration of `Templates`, with places for values: `<<name>>` is a text. `<<#name>>` and `<</name>>` enclose what
/// each element of a list has, or what is there with a text; `<<^name>>` and `<</name>>` what is there without.
/// A line with nothing but one of these is none of the result.
enum ProxyTemplate {
    static func fill(_ template: Substring, _ values: [String: TemplateValue]) -> String {
        var result = ""
        var rest = template
        while let start = rest.firstRange(of: "<<"), let end = rest[start.upperBound...].firstRange(of: ">>") {
            result += rest[..<start.lowerBound]
            let place = rest[start.upperBound..<end.lowerBound]
            rest = rest[end.upperBound...]
            let isSection = place.hasPrefix("#") || place.hasPrefix("^")
            // The templates name no other values: the tests fill all of them.
            guard let value = values[String(isSection ? place.dropFirst() : place)] else {
                preconditionFailure("no value \(place)")
            }
            if isSection {
                let elements = value.elements(isPresent: place.hasPrefix("#"))
                let section = takeSection(
                    String(place.dropFirst()), &rest, startsLine: result.isEmpty || result.last == "\n")
                for element in elements { result += fill(section, values.merging(element) { $1 }) }
            } else if case .text(let text) = value {
                result += text
            }
        }
        return result + rest
    }

    /// The text up to the end of a section, without the lines of its two tags.
    private static func takeSection(_ name: String, _ rest: inout Substring, startsLine: Bool) -> Substring {
        guard let end = rest.firstRange(of: "<</\(name)>>") else { preconditionFailure("no end of \(name)") }
        var section = rest[..<end.lowerBound]
        rest = rest[end.upperBound...]
        if startsLine, section.first == "\n" { section.removeFirst() }
        if section.isEmpty || section.last == "\n", rest.first == "\n" { rest.removeFirst() }
        return section
    }
}

extension TemplateValue {
    /// The values of each time that a section is there.
    fileprivate func elements(isPresent: Bool) -> [[String: TemplateValue]] {
        switch self {
        case .text(let text): text.isEmpty == isPresent ? [] : [[:]]
        case .list(let elements): isPresent ? elements : elements.isEmpty ? [[:]] : []
        }
    }
}

extension ProxySetup {
    /// - Parameters:
    ///   - own: Values of one proxy alone.
    ///   - host: The same, of each host.
    func fill(
        _ template: [UInt8], _ own: [String: TemplateValue] = [:],
        host: (Host) -> [String: TemplateValue] = { _ in [:] }
    ) -> String {
        var (certificate, key) = ("", "")
        if case .certificate(let file, let keyFile) = tls { (certificate, key) = (file, keyFile ?? "") }
        let hosts = hosts.enumerated().map { index, one in
            let programs = one.programs.map { program -> [String: TemplateValue] in
                [
                    "number": "\(program.number)", "path": .text(program.path), "address": .text(program.address),
                    "below": .text(program.path == "/" ? "" : program.path),
                ]
            }
            let values: [String: TemplateValue] = [
                "name": .text(one.name), "domain": .text(one.domain ?? ""), "place": "\(index + 1)",
                "isFirst": .flag(index == 0), "isWhole": .flag(one.isWhole), "programs": .list(programs),
            ]
            return values.merging(host(one)) { $1 }
        }
        let values: [String: TemplateValue] = [
            "folder": .text(folder), "port": "\(port)", "secret": .text(secretVariable ?? ""), "tls": .flag(tls != nil),
            "certificate": .text(certificate), "key": .text(key), "redirects": .flag(redirects),
            "behindTLS": .flag(isBehindTLS), "bearer": .flag(acceptsTokens), "metadata": .text(Self.metadataPath),
            "kept": "\(keptConnections)", "timeout": .text(timeout.map { "\($0)" } ?? ""),
            "clientHeaders": .headers(clientHeaders), "hosts": .list(hosts), "headers": .headers(headers),
            "beginnings": .headers(RemovedHeaders.beginnings),
            "beside": .headers(removedBesideBeginnings), "failure": .text(Self.failure),
        ]
        return ProxyTemplate.fill(String(decoding: template, as: UTF8.self)[...], values.merging(own) { $1 })
    }

    /// The page for a browser that gets no response of the gateway or of a program. It has no character that ends a string of a
    /// configuration or begins a placeholder in it.
    private static let failure = """
        <!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">\
        <title>Unavailable</title><body style="font: 1rem system-ui; margin: 15vh auto; max-width: 30em; padding: 0 1em">\
        <h1>This page is unavailable now</h1><p>Try again in a moment.</p>
        """

    /// Of the gateway, with what the proxy writes before a socket.
    func address(socket prefix: String) -> String {
        switch gateway {
        case .address(let address): address
        case .socket(let path): prefix + path
        }
    }
}
