import CarnetDescriptors

extension JSONValue {
    /// The value with what another one says beyond it: members of objects that this one does not have.
    func completed(by other: JSONValue) -> JSONValue {
        guard case .object(var object) = self, let others = other.object else { return self }
        for member in others.members {
            let own = object[member.name].flatMap { $0.isNull ? Optional.none : $0 }
            object[member.name] = own?.completed(by: member.value) ?? member.value
        }
        return .object(object)
    }
}
