import CarnetDescriptors
import CarnetFoundation
package import CarnetProtocol

/// Where a private key is: never in the clients file itself.
package enum KeyPlace {
    case variable(String)
    /// A file in PEM form, a JWK, or a set of them.
    case file(String)

    var path: String? { if case .file(let path) = self { path } else { nil } }

    var variable: String? { if case .variable(let name) = self { name } else { nil } }

    /// The same place, seen from the folder of the file that names it.
    func below(_ folder: String) -> KeyPlace {
        guard case .file(let path) = self, !path.hasPrefix("/"), !folder.isEmpty else { return self }
        return .file(folder + "/" + path)
    }

    /// - Parameter id: The id of a key that does not state one.
    /// - Throws: `RegistrationError` that names the place and never the key.
    package func keys(id: String?, _ environment: [String: String]) throws -> [ClientKey] {
        let (text, source) = try read(environment)
        do throws(ClientKeyError) {
            return try ClientKey.keys(in: text, id: id, source: source)
        } catch {
            throw RegistrationError("\(error.source) \(error.reason)", next: [error.hint].compactMap { $0 })
        }
    }

    /// The first that may sign.
    ///
    /// - Throws: as `keys(id:_:)`, and if there is none.
    func signingKey(id: String?, _ environment: [String: String]) throws -> ClientKey {
        guard let key = try keys(id: id, environment).first(where: \.canSign) else {
            throw RegistrationError(
                "\(try read(environment).source) has no signing key",
                next: ["give a private key: a JWK, or PEM as of openssl genpkey"])
        }
        return key
    }

    /// The certificate here, with the key of the other place, or of this one.
    ///
    /// - Throws: as `keys(id:_:)`.
    func certificate(key: KeyPlace?, _ environment: [String: String]) throws -> ClientCertificate {
        let (text, source) = try read(environment)
        let keyText = try key?.read(environment).text
        do throws(ClientKeyError) {
            return try ClientCertificate(pem: text, privateKeyPEM: keyText, source: source)
        } catch {
            throw RegistrationError("\(error.source) \(error.reason)", next: [error.hint].compactMap { $0 })
        }
    }

    private func read(_ environment: [String: String]) throws -> (text: Secret, source: String) {
        switch self {
        case .variable(let name):
            do throws(VariableError) {
                let text = try environment.value(ofVariable: name, at: "client_key_env")
                return (Secret(text), "the key in the environment variable \(name)")
            } catch {
                throw RegistrationError(error.reason, next: [error.next(value: "\"$(cat key.pem)\"")])
            }
        case .file(let path):
            return (Secret(try SourceFile(readingFrom: path, maximumBytes: 1 << 18).exactText()), path)
        }
    }
}
