import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetTestSupport
import Foundation
import Testing

@testable import CarnetCommand

@Suite("Schema")
struct SchemaTests {
    private let home: CommandHome

    init() throws {
        home = try CommandHome()
    }

    @Test("The schema of descriptors is the whole response", arguments: [[], ["--json"]])
    func theSchemaOfDescriptors(options: [String]) async throws {
        let run = try home.start(["schema"] + options)
        let result = try await run.finish()
        #expect(result.status == 0 && result.standardError.isEmpty, "\(result)")
        let schema = try result.json()
        #expect(schema["$schema"] as? String == "https://json-schema.org/draft/2020-12/schema")
        #expect(Set(schema["required"] as? [String] ?? []) == ["carnet", "id", "name"])
        #expect(schema["$defs"] is [String: Any])
    }

    @Test("The schema of resource maps is another")
    func theSchemaOfResourceMaps() async throws {
        let schema = try await home.run("schema", "--resources").json()
        #expect(schema["title"] as? String == "Carnet resource map")
    }

    @Test("The schema of clients files accepts what their reader accepts, by the judgement of a foreign validator")
    func theSchemaOfClientsFiles() async throws {
        let values: [JSONValue] = [
            nil, true, 7, .number("1.5"), "", "acme", "https://id.acme.example", [], [nil], [7],
            ["https://id.acme.example"],
            [[]], [:], ["acme": "acme"], ["acme": 7], ["acme": nil], ["acme": []],
        ]
        let keys = [
            "client_id", "client_secret", "client_secret_env", "client_secret_file", "client_key_file",
            "client_key_env", "client_key_id", "client_certificate_file", "client_certificate_key_file",
            "dpop_key_file", "decryption_key_file", "redirect_uri", "post_logout_redirect_uri", "inputs",
            "environment", "scopes", "registration_client_uri", "registration_access_token", "origins", "client",
        ]
        // What is an origin, and which keys exclude each other, is for the reader alone.
        let beyond: [JSONValue] = [true, 7, .number("1.5"), "acme", [7]]
        var instances = values + values.map { ["acme": $0] }
        for key in keys {
            for value in values where key != "origins" || !beyond.contains(value) {
                instances.append(["acme": .object(JSONObject(members: [.init(name: key, value: value)]))])
            }
        }
        let schema = try JSONValue(parsing: Data(try await home.run("schema", "--clients").standardOutput.utf8))
        let answer = try SchemaValidator.validate(instances, against: schema)
        #expect(answer.schema == nil)
        #expect(answer.instances.count == instances.count)
        for (instance, reason) in zip(instances, answer.instances) {
            let diagnostics = ClientsFile(SourceFile(path: "clients.yaml", text: instance.jsonText())).diagnostics
            #expect(
                diagnostics.isEmpty == (reason == nil),
                "\(instance.jsonText()): the reader: \(diagnostics), the schema: \(reason ?? "nothing")")
        }
        #expect(answer.instances.filter { $0 == nil }.count > 80)
    }

    @Test("One schema is printed at a time")
    func oneSchema() async throws {
        #expect(try await home.run("schema", "--clients", "--resources").status == 2)
    }
}
