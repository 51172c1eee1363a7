import Foundation
import Testing

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
}
