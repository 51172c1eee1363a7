import CarnetDescriptors
import CarnetFoundation

extension JSONValue {
    /// What a sample says: one that is a string is the body itself, as JSON, also inside a call or behind a guard, or as a
    /// form.
    var asParsedBody: JSONValue {
        guard let text = string else { return self }
        if let json = try? JSONValue(parsing: Array(text.utf8)) { return json }
        let inside = text.drop { $0 != "{" }
        if text.distance(from: text.startIndex, to: inside.startIndex) <= 64,
            let end = inside.lastIndex(of: "}"), let json = try? JSONValue(parsing: Array(inside[...end].utf8))
        {
            return json
        }
        guard let form = try? ReceivedParameters(form: text) else { return self }
        var object = JSONObject()
        for pair in form.pairs { object[pair.name] = .string(pair.value) }
        return .object(object)
    }

    /// The value with the members that another has besides, at every depth.
    func completed(with other: JSONValue) -> JSONValue {
        guard var object, let other = other.object else { return self }
        for member in other.members {
            object[member.name] = object[member.name]?.completed(with: member.value) ?? member.value
        }
        return .object(object)
    }
}
