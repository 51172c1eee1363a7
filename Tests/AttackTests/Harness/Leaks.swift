import CarnetProtocol
import CarnetTestSupport
import Foundation

/// Searches what a host could see for what nobody may see.
struct Leaks {
    private let forms: Set<String>

    /// - Parameter secrets: What was issued or sent; looked for as it is, percent-encoded, in base64, and by its first
    ///   eight bytes, which are as good as the whole to whoever guesses the rest from a log of another service.
    init(of secrets: some Collection<String>) {
        var forms: Set<String> = []
        for secret in secrets {
            forms.formUnion([
                secret, PercentEncoding.encode(secret), Data(secret.utf8).base64EncodedString(),
                base64URL(Data(secret.utf8)), secret.replacingOccurrences(of: "/", with: "\\/"),
            ])
            // Every JWT begins alike; what is secret of it begins after its last dot.
            let distinct = secret.hasPrefix("eyJ") ? String(secret.split(separator: ".").last ?? "") : secret
            if distinct.utf8.count >= 8 { forms.insert(String(distinct.prefix(8))) }
        }
        self.forms = forms.filter { !$0.isEmpty }
    }

    /// The secrets that a text shows.
    func found(in text: String) -> [String] {
        // By bytes: a combining mark after a secret hides it from a search by characters.
        text.withCString { text in
            forms.filter { form in form.withCString { strstr(text, $0) != nil } }
        }
    }
}
