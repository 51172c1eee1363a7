import CarnetDescriptors
import CarnetFoundation

extension JSONValue {
    /// What a sample says. One that is a string is the body itself, in the format that the descriptor says, or a JWT.
    ///
    /// - Returns: `nil` for a string of another format.
    func read(as format: ResponseFormat) -> JSONValue? {
        guard let text = string else { return self }
        if let claims = JSONWebToken.claims(of: text), claims.object != nil { return claims }
        let json = try? JSONValue(parsing: Array(text.utf8))
        switch format {
        case .auto, .json: return json
        case .form:
            if let json, json.object != nil { return json }
            guard let form = try? ReceivedParameters(form: text) else { return nil }
            var object = JSONObject()
            for pair in form.pairs { object[pair.name] = .string(pair.value) }
            return .object(object)
        case .jsonp, .guarded:
            let inside = text.drop { $0 != "{" && $0 != "[" }
            guard text.distance(from: text.startIndex, to: inside.startIndex) <= 64,
                let end = inside.lastIndex(where: { $0 == "}" || $0 == "]" })
            else { return nil }
            return try? JSONValue(parsing: Array(inside[...end].utf8))
        }
    }

    /// The exact body that a sample is, unless a response has another value in it. One of another format has no values.
    func exactBody(saying value: JSONValue, as format: ResponseFormat) -> String? {
        guard let text = string, JSONWebToken.claims(of: text)?.object == nil else { return nil }
        let stated = read(as: format)
        return stated == nil || stated == value ? text : nil
    }
}
