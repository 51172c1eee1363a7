package import CarnetFoundation

/// The claims in the callback of the first sign-in, which no later response contains.
///
/// Anybody can send a callback and nothing signs this part of it, so it is never more than a name to greet by: there is
/// no key for a subject or an address.
package struct CallbackClaims: DescriptorSection, Sendable {
    /// The value of `callback.capture` that holds the claims as JSON.
    package internal(set) var capture = ""
    private var name: PointerList?
    private var givenName: PointerList?
    private var familyName: PointerList?

    /// The claims that the descriptor names, with where they are in the JSON.
    package var claims: [Named<[JSONPointer]>] {
        [("name", name), ("given_name", givenName), ("family_name", familyName)].compactMap { claim, place in
            place.map { Named(claim, $0.pointers) }
        }
    }

    static let keys: [Key<Self>] = [
        Key("from", \.capture, isRequired: true, "the value of callback.capture that contains them as JSON"),
        Key("name", \.name, "the place of the full name in that JSON"),
        Key("given_name", \.givenName, "the place of the given name in that JSON"),
        Key("family_name", \.familyName, "the place of the family name in that JSON"),
    ]
}
