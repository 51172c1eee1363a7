/// When and how the facts in a descriptor were checked.
package struct Verification: DescriptorSection, Sendable {
    package internal(set) var date = ""
    package internal(set) var how = ""
    package internal(set) var link: String?

    static let keys: [Key<Self>] = [
        Key("date", \.date, isRequired: true, "the date of the check, e.g. \"2026-11-21\""),
        Key("how", \.how, isRequired: true, "what was compared, e.g. the provider's reference page"),
        Key("link", \.link, "a link to it"),
    ]
}

/// Why a key is as it is.
package struct Note: DescriptorSection, Sendable {
    package internal(set) var about = ""
    package internal(set) var because = ""
    package internal(set) var until: String?
    package internal(set) var link: String?

    static let keys: [Key<Self>] = [
        Key("about", \.about, isRequired: true, "the key, e.g. authorization.offline_parameters"),
        Key("because", \.because, isRequired: true, "the reason"),
        Key("until", \.until, "the last day on which the key is right, e.g. \"2027-01-31\""),
        Key("link", \.link, "a link to it"),
    ]
}
