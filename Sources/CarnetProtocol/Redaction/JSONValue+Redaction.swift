import CarnetDescriptors

extension JSONValue {
    /// The value without the redactor's secrets and without the values of hidden members.
    ///
    /// - Parameters:
    ///   - isHidden: Whether this value is hidden, if it is not an object.
    ///   - hides: Whether the member with a name is hidden, given whether its object is.
    func redacting(
        _ redactor: Redactor,
        limit: Int,
        isHidden: Bool = false,
        hides: (_ name: String, _ isHidden: Bool) -> Bool
    ) -> JSONValue {
        switch self {
        case .object(let object):
            .object(
                JSONObject(
                    members: object.members.map { member in
                        JSONObject.Member(
                            name: member.name,
                            value: member.value.redacting(
                                redactor, limit: limit, isHidden: hides(member.name, isHidden), hides: hides)
                        )
                    }))
        case .array(let elements):
            .array(elements.map { $0.redacting(redactor, limit: limit, isHidden: isHidden, hides: hides) })
        case .string(let text):
            .string(isHidden ? Secret("").description : redactor.redact(text, limit: limit))
        case .number(let text):
            isHidden || redactor.redact(text, limit: limit) != text ? .string(Secret("").description) : self
        case .bool: isHidden ? .string(Secret("").description) : self
        case .null: self
        }
    }
}
