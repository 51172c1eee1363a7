/// What the callback of the first sign-in says of the person, and no answer after it.
///
/// Anybody can send a callback and nothing signs this part of it, so it is never more than a name to greet by: there is
/// no key for a subject or an address.
package struct CallbackClaims: Sendable {
    /// The value of `callback.capture` that holds the claims as JSON.
    package internal(set) var capture = ""
    private var name: PointerList?
    private var givenName: PointerList?
    private var familyName: PointerList?

    init() {}

    /// The claims that the descriptor names, with where they are in the JSON.
    package var claims: [Named<[JSONPointer]>] {
        [("name", name), ("given_name", givenName), ("family_name", familyName)].compactMap { claim, place in
            place.map { Named(claim, $0.pointers) }
        }
    }
}

extension CallbackClaims: DescriptorSection {
    static let keys: [Key<Self>] = [
        Key("from", \.capture, isRequired: true, "the value of callback.capture that holds them, as JSON"),
        Key("name", \.name, "where the whole name is in that JSON"),
        Key("given_name", \.givenName, "where the given name is in that JSON"),
        Key("family_name", \.familyName, "where the family name is in that JSON"),
    ]
}
