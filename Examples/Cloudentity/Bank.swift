import CarnetApple
import Foundation
import Observation

/// A bank at a Cloudentity workspace: the parts of the access token, and a button for each resource that was granted.
@MainActor
@Observable
final class Bank {
    let signIn: SignInModel
    private(set) var payload = Bank.opaque
    private(set) var header = Bank.opaque
    private(set) var resources: [Resource] = []
    private(set) var problem: String?
    private let map: ResourceMap

    static let opaque = "The access token is opaque."

    /// - Parameter scopeData: The resources by scope, `scopeData.json`.
    init(_ signIn: SignInModel, scopeData: SourceFile) throws {
        self.signIn = signIn
        map = try signIn.client.resourceMap(scopeData)
    }

    /// Shows what the sign-in brought.
    func load() async {
        do {
            guard let session = signIn.session else {
                (payload, header, resources) = (Self.opaque, Self.opaque, [])
                return
            }
            let parts = try await session.accessToken().reveal().split(separator: ".")
            // Shown, not believed: nothing here decides by an access token.
            (header, payload) = (Self.json(parts, 0), Self.json(parts, 1))
            resources = try await session.resources(map).filter(\.isOpen).map(\.resource)
            problem = nil
        } catch {
            problem = "\(error)"
        }
    }

    /// The resource's JSON, or why there is none. An expired access token is refreshed and the request repeated.
    func fetch(_ resource: Resource) async -> String {
        do {
            guard let response = try await signIn.session?.call(resource) else { return "You are signed out." }
            return Self.pretty(Data(response.body)) ?? String(decoding: response.body, as: UTF8.self)
        } catch {
            return "\(error)"
        }
    }

    private static func json(_ parts: [Substring], _ index: Int) -> String {
        guard parts.count == 3 else { return opaque }
        let base64 = parts[index].replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        let padding = String(repeating: "=", count: (4 - base64.count % 4) % 4)
        return Data(base64Encoded: base64 + padding).flatMap(pretty) ?? opaque
    }

    private static func pretty(_ json: Data) -> String? {
        guard let value = try? JSONSerialization.jsonObject(with: json),
            let text = try? JSONSerialization.data(withJSONObject: value, options: [.prettyPrinted, .sortedKeys])
        else { return nil }
        return String(decoding: text, as: UTF8.self)
    }
}
