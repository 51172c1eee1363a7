import CarnetDescriptors
import CarnetFoundation
import Foundation

@testable import CarnetSimulation

/// How a fact compares with what Carnet does.
enum Comparison: Equatable {
    case agrees
    /// What Carnet does.
    case differs(String)
    /// A fact for people, such as a console's words.
    case notCompared
}

extension ProviderConduct {
    /// - Parameter facts: All facts about the provider.
    func compare(_ fact: Fact, among facts: [Fact]) throws -> Comparison {
        let value = fact.value
        switch fact.key {
        case "authorization_endpoint": return match(value, try request(.authorization)?.place)
        case "token_endpoint": return match(value, try request(.token)?.place)
        case "userinfo_endpoint": return match(value, try request(.userinfo)?.place)
        case "revocation_endpoint": return match(value, try request(.revocation)?.place)
        case "introspection_endpoint": return match(value, provider.endpoints[.introspection]?.text)
        case "device_endpoint": return match(value, try deviceRequest()?.place)
        case "issuer": return match(value, provider.issuer)
        case "scope_separator": return equal(value, try separator)
        case "default_scopes_example": return try compareScopes(value)
        case "pkce": return try comparePKCE(value)
        case "client_authentication":
            // Each row has the methods of one kind of client.
            let sent = try authentication()
            let stated = Set(facts.filter { $0.key == fact.key && $0.sure != "conflict" }.flatMap { words($0.value) })
            return Set(words(value)).isSubset(of: sent) && sent.isSubset(of: stated.union(words(value)))
                ? .agrees : .differs(sent.sorted().joined(separator: " "))
        case "token_body": return equal(value, try request(.token)?.bodyFormat)
        case "token_method": return equal(value, try request(.token)?.method)
        case "profile_method": return equal(value, try request(.userinfo)?.method)
        case "required_token_header": return try compareHeader(value, in: request(.token))
        case "required_profile_header": return try compareHeader(value, in: request(.userinfo))
        case "required_profile_parameter": return compareParameter(value, in: [try request(.userinfo)])
        case "required_refresh_parameter": return compareParameter(value, in: [try request(.refresh)])
        case "required_authorization_parameter":
            return compareParameter(value, in: [try authorizationRequest(isOffline: true)])
        case "refresh": return try compareRefresh(value)
        case "refresh_rotation":
            guard value != "unknown" else { return .notCompared }
            return equal(value, try keepsRefreshToken ? "keeps" : "rotates")
        case "revocable_tokens":
            guard value != "unknown" else { return .notCompared }
            let sent = provider.revocation.tokens.map(\.rawValue)
            return Set(sent).isSubset(of: words(value)) ? .agrees : .differs(sent.joined(separator: " "))
        case "refused_refresh": return value == "unknown" ? .notCompared : try compareRefusedRefresh(value)
        case "access_token_lifetime": return try compareLifetime(value)
        case "refresh_token_lifetime":
            guard let lifetime = try refreshTokenLifetime else { return .notCompared }
            return equal(value, String(lifetime))
        case "token_type_in_response":
            return try accepts(tokenType: value) ? .agrees : .differs("a response with this type is rejected")
        case "profile_subject", "profile_name", "profile_email", "profile_picture", "profile_username":
            return try compareClaim(String(fact.key.dropFirst("profile_".count)), at: value)
        case "redirect_loopback_http": return equal(value, acceptsLoopback ? "yes" : "no")
        case "token_error_form", "status", "client_id_name", "client_secret_name", "registration_page":
            return .notCompared
        default: throw FactTableError(file: "facts.tsv", line: fact.line, message: "the key \(fact.key) is unknown")
        }
    }

    private func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

    private func equal(_ value: String, _ found: String?) -> Comparison {
        value == found ? .agrees : .differs(found ?? "(none)")
    }

    /// Compares with a value in which `{...}` stands for anything.
    private func match(_ value: String, _ found: String?) -> Comparison {
        let pattern = value.split(separator: /\{[^}]*\}/, omittingEmptySubsequences: false)
            .map { NSRegularExpression.escapedPattern(for: String($0)) }.joined(separator: "[^/?]+")
        guard let found else { return .differs("(none)") }
        return found.range(of: "^\(pattern)$", options: .regularExpression) == nil ? .differs(found) : .agrees
    }

    private var separator: String? {
        get throws {
            let url = try requestForTwoScopes().url
            guard let start = url.range(of: "first1"), let end = url.range(of: "second2") else { return nil }
            let between = String(url[start.upperBound..<end.lowerBound])
            return ["%20": "space", "+": "space", "%2C": "comma", ",": "comma"][between] ?? between
        }
    }

    private func compareScopes(_ value: String) throws -> Comparison {
        let name = provider.authorization.rename["scope"] ?? "scope"
        let sent = try authorizationRequest(isOffline: false).parameter(name) ?? ""
        let separators: Set<Character> = try separator == "comma" ? [","] : [" "]
        let scopes = Set(sent.split(whereSeparator: separators.contains).map(String.init))
        let stated = value == "(none)" ? [] : Set(words(value)).subtracting(provider.scopes.offline)
        // A scope in braces stands for any other.
        let named = stated.filter { !$0.hasPrefix("{") }
        let agrees = named.isSubset(of: scopes) && scopes.count == stated.count
        return agrees ? .agrees : .differs(sent.isEmpty ? "(none)" : sent)
    }

    private func comparePKCE(_ value: String) throws -> Comparison {
        let sent = try request(.authorization)?.parameter("code_challenge_method")
        switch value {
        case "ignored": return .agrees
        case "S256", "required": return sent == "S256" ? .agrees : .differs(sent ?? "none")
        case "none", "refused": return sent == nil ? .agrees : .differs(sent ?? "none")
        default: return .differs(sent ?? "none")
        }
    }

    private func compareHeader(_ value: String, in request: SentRequest?) -> Comparison {
        let parts = value.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
        guard parts.count == 2, let sent = request?.header(parts[0]) else { return .differs("(none)") }
        return matchText(parts[1], sent)
    }

    private func compareParameter(_ value: String, in requests: [SentRequest?]) -> Comparison {
        let parts = value.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return .differs("(not name=value)") }
        let sent = requests.compactMap { $0?.parameter(parts[0]) }
        if sent.contains(where: { matchText(parts[1], $0) == .agrees }) { return .agrees }
        return .differs(sent.last.map { "\(parts[0])=\($0)" } ?? "(none)")
    }

    /// As `match`, for texts with slashes.
    private func matchText(_ value: String, _ sent: String) -> Comparison {
        let pattern = value.split(separator: /\{[^}"]*\}/, omittingEmptySubsequences: false)
            .map { NSRegularExpression.escapedPattern(for: String($0)) }.joined(separator: ".+")
        return sent.range(of: "^\(pattern)$", options: .regularExpression) == nil ? .differs(sent) : .agrees
    }

    private func compareRefresh(_ value: String) throws -> Comparison {
        guard value.hasPrefix("only with ") else { return equal(value, try refreshes ? "yes" : "no") }
        // A condition that the request can fulfil is a parameter or a scope; others are settings of the console.
        let conditions = value.matches(of: /[a-z_]+=[a-z0-9_]+|offline[_.]access|refresh_token or/)
            .map { String($0.output.split(separator: " ")[0]) }
        guard !conditions.isEmpty else { return .agrees }
        let sent = [try authorizationRequest(isOffline: true), try request(.token), try request(.refresh)]
            .compactMap { $0 }
        let parameters = sent.flatMap(\.parameters)
        let isMet = conditions.contains { condition in
            parameters.contains { "\($0.name)=\($0.value)" == condition || $0.value.contains(condition) }
        }
        return isMet ? .agrees : .differs("yes, without \(conditions.joined(separator: " or "))")
    }

    /// A value is the status and the body with which the provider refuses a dead refresh token. Only `invalid_grant`
    /// ends a session; after any other error the user is never asked to sign in again.
    private func compareRefusedRefresh(_ value: String) throws -> Comparison {
        let parts = value.split(separator: " ", maxSplits: 1).map(String.init)
        guard parts.count == 2, let status = Int(parts[0]) else { return .differs("(not a status and a body)") }
        let code = try refusedRefresh(status: status, body: parts[1])
        return code == "invalid_grant" ? .agrees : .differs(code ?? "(none)")
    }

    private func compareLifetime(_ value: String) throws -> Comparison {
        let lifetime = try lifetime
        guard let stated = Int(value), let lifetime else { return equal(value, lifetime.map(String.init) ?? "none") }
        // Samples have the seconds that were left when the response arrived.
        return abs(stated - lifetime) * 100 <= stated ? .agrees : .differs(String(lifetime))
    }

    private func compareClaim(_ name: String, at value: String) throws -> Comparison {
        guard let pointer = JSONPointer(value) else { return .differs("(not a pointer)") }
        guard try !claim(name, ofValueAt: pointer) else { return .agrees }
        let places = provider.profile.claims.first { $0.name == name }?.value ?? []
        let found = places.map { "\(provider.profile.root)\($0)" }.joined(separator: ", ")
        return .differs(found.isEmpty ? "(none)" : found)
    }
}
