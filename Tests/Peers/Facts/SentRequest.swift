import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetSimulation

/// A request of Carnet in the parts that facts are about.
struct SentRequest {
    let method: String
    let url: String
    let headers: [Named<String>]
    let body: String

    init(_ request: SimulatedRequest) {
        (method, url, headers, body) = (request.method, request.url, request.headers, request.body)
    }

    init(url: String) {
        (method, self.url, headers, body) = ("GET", url, [], "")
    }

    var place: String { String(url.prefix { $0 != "?" && $0 != "#" }) }

    /// The parameters of the query, of the fragment and of the body, decoded.
    var parameters: [Named<String>] {
        let query = url.split(separator: "?", maxSplits: 1).dropFirst().joined()
        let form = (PercentEncoding.decodeForm(query) ?? []).map { Named($0.name, $0.value) }
        if let json = try? JSONValue(parsing: body) {
            return form
                + (json.object?.members ?? []).map { Named($0.name, $0.value.scalarText ?? $0.value.jsonText()) }
        }
        return form + (PercentEncoding.decodeForm(body) ?? []).map { Named($0.name, $0.value) }
    }

    func parameter(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

    func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    var bodyFormat: String {
        switch header("Content-Type")?.prefix(while: { $0 != ";" }) {
        case "application/x-www-form-urlencoded": "form"
        case "application/json": "json"
        case let other: other.map(String.init) ?? "(no body)"
        }
    }

    /// Where the client's credentials are.
    var clientAuthentication: String {
        let values = parameters.map(\.value)
        if header("Authorization")?.hasPrefix("Basic ") == true { return "basic" }
        if values.contains(where: { $0.hasPrefix("eyJ") && $0.split(separator: ".").count == 3 }) { return "jwt" }
        if values.contains(where: { $0.hasPrefix("simulated-client-secret") }) { return "post" }
        return "none"
    }
}
