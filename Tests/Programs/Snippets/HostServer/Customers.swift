import CarnetWeb
import Foundation

/// A company whose users sign in at its own provider.
struct Customer: Sendable {
    let id: ProviderID
    let name: String
    /// For example `login.umbrella.example/main`.
    let issuer: String
    let clientID: String
    let clientSecret: Secret
    /// The domains of e-mail addresses that the customer has proved to own.
    let domains: Set<String>
    /// Increased with each change of the registration.
    let revision: Int
}

protocol CustomerDatabase: Sendable {
    func customer(_ id: ProviderID) async throws -> Customer?
    func customer(withDomain domain: String) async throws -> Customer?
}

/// Adds a customer: each process that watches the folder can sign its users in two seconds later.
func add(_ customer: Customer, to folder: String) throws {
    // A JSON string is a YAML string, so no name can add a key to the descriptor.
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    let name = String(decoding: try encoder.encode(customer.name), as: UTF8.self)
    let text = """
        # Revision \(customer.revision)
        carnet: 1
        id: \(customer.id)
        name: \(name)
        extends: customer

        """
    try text.write(to: URL(filePath: "\(folder)/\(customer.id).yaml"), atomically: true, encoding: .utf8)
}

/// The clients of all customers with a file in the folder. `watch` of the result adds, replaces and removes them.
func customerFolders(
    _ folder: String, clients: ProviderClients, database: any CustomerDatabase, origin: String,
    transport: any Transport, store: any TokenStore
) throws -> ProviderFolders {
    var registry = ProviderRegistry()
    try registry.add(folder: "providers")
    return ProviderFolders([folder], beside: registry, clients: clients) { descriptor in
        guard let customer = try await database.customer(descriptor.id) else { return nil }
        return try OAuthClient(
            descriptor,
            registration: ClientRegistration(
                clientID: customer.clientID,
                credentials: .secret(customer.clientSecret),
                redirectURI: "\(origin)/sign-in/\(customer.id)/callback",
                inputs: ["issuer": customer.issuer]
            ),
            transport: transport,
            store: store
        )
    }
}

/// For the site's own first page: where a person with this e-mail address signs in.
func signInPath(for email: String, database: any CustomerDatabase) async throws -> String? {
    guard let domain = email.split(separator: "@").last?.lowercased() else { return nil }
    return try await database.customer(withDomain: domain).map { "/sign-in/\($0.id)" }
}

/// For `findUser` of `WebSignIn`: the user belongs to the customer whose provider signed them in, and to no other.
func userID(of account: WebAccount, database: any CustomerDatabase) async throws -> String {
    guard let customer = try await database.customer(account.provider), account.isEmailVerified == true,
        let domain = account.email?.split(separator: "@").last?.lowercased(), customer.domains.contains(domain)
    else { throw SignInRefusal("Use the account of your company.") }
    return "\(customer.id)/\(account.subject)"
}
