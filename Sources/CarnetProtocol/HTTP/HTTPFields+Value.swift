package import HTTPTypes

extension HTTPFields {
    /// The value of a field. The subscript joins the values through three generic types, even if there is one.
    package func value(of name: HTTPField.Name) -> String? {
        let values = self[values: name]
        return values.count == 1 ? values[0] : self[name]
    }
}
