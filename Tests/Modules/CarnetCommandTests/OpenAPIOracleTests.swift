import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import CarnetTestSupport
import Foundation
import Testing

@testable import CarnetCommand
@testable import CarnetOpenAPI

/// Decisions by imported maps, compared with those of `Tests/Peers/openapi_requests.py`, which reads the documents itself.
@Suite("Import of OpenAPI documents, and a foreign reader")
struct OpenAPIOracleTests {
    /// Writes random documents, with most of what the specification has about access.
    private struct Writer {
        var random: SplitMix64

        private static let scopes = ["read", "write", "admin", "a:b", "c"]
        private static let segments = [
            "users", "{id}", "{other-id}", "me", "files", "{a}.json", "x:run", "{name}:cancel", "Users", "caf%c3%a9",
            "%7Eroot",
        ]

        private static let schemes: JSONValue = [
            "acme": [
                "type": "oauth2",
                "flows": [
                    "authorizationCode": [
                        "authorizationUrl": "https://id.acme.example/a", "tokenUrl": "https://id.acme.example/t",
                        "scopes": ["read": "", "write": ""],
                    ]
                ],
            ],
            "programs": [
                "type": "oauth2",
                "flows": ["clientCredentials": ["tokenUrl": "https://id.acme.example/t", "scopes": [:]]],
            ],
            "other": ["type": "oauth2", "flows": [:]],
            "pat": ["type": "http", "scheme": "bearer"],
            "key": ["type": "apiKey", "in": "query", "name": "key"],
        ]

        private mutating func list(_ count: Int, _ element: (inout Writer) -> JSONValue) -> JSONValue {
            .array((0..<count).map { _ in element(&self) })
        }

        private mutating func scopes() -> JSONValue {
            let count = random.below(4)
            return .array(Array(Self.scopes.shuffled(using: &random).prefix(count)).map(JSONValue.string))
        }

        private mutating func security() -> JSONValue {
            list(random.below(4)) { writer in
                var object = JSONObject()
                for name in ["acme", "programs", "other", "pat", "key"] where writer.random.once(in: 3) {
                    object[name] = ["key", "pat"].contains(name) ? [] : writer.scopes()
                }
                // Most have only what a map can say.
                if object.members.isEmpty, !writer.random.once(in: 4) { object["acme"] = writer.scopes() }
                return .object(object)
            }
        }

        private mutating func operation() -> JSONValue {
            var object: JSONObject = ["responses": [:]]
            if !random.once(in: 4) { object["security"] = security() }
            if random.once(in: 12) { object["servers"] = servers() }
            return .object(object)
        }

        private mutating func servers() -> JSONValue {
            list(1 + random.below(2)) { writer in
                [
                    "url": .string(
                        writer.random.pick([
                            "https://api.acme.example", "https://api.acme.example/v1/", "/v2",
                            "https://{host}/{version}", "https://upload.acme.example/v1", "../x",
                            "https://static_files.example",
                        ])),
                    "variables": [
                        "host": ["default": "api.acme.example"],
                        "version": ["default": "v1", "enum": ["v1", "v3"]],
                    ],
                ]
            }
        }

        mutating func document() -> JSONValue {
            var paths = JSONObject()
            for _ in 0..<(1 + random.below(8)) {
                let segments = (0..<random.below(4)).map { _ in random.pick(Self.segments) }
                let path = "/" + segments.joined(separator: "/") + (random.once(in: 8) && !segments.isEmpty ? "/" : "")
                var item = JSONObject()
                for method in ["get", "post", "put", "patch", "delete", "head", "options"] where random.once(in: 3) {
                    item[method] = operation()
                }
                if random.once(in: 10) { item["servers"] = servers() }
                paths[path] = .object(item)
            }
            var document: JSONObject = [
                "openapi": .string(random.pick(["3.0.3", "3.1.0", "3.2.0"])),
                "info": ["title": "Acme", "version": "1"],
                "components": ["securitySchemes": Self.schemes],
                "paths": .object(paths),
            ]
            if random.once(in: 2) { document["servers"] = servers() }
            if !random.once(in: 3) { document["security"] = security() }
            return .object(document)
        }
    }

    @Test("A map lets in what the document says, or less with a finding", arguments: [UInt64](1...3))
    func randomDocuments(seed: UInt64) throws {
        var writer = Writer(random: SplitMix64(seed: seed))
        var questions: [JSONValue] = []
        var imports: [OpenAPIImport] = []
        for number in 0..<120 {
            let text = writer.document().jsonText(number.isMultiple(of: 2) ? .indented : .compact)
            var options = OpenAPIImport.Options()
            if number.isMultiple(of: 5) { options.schemes = ["pat", "other"] }
            if number.isMultiple(of: 3) { options.checkedElsewhere = ["key"] }
            let imported = try OpenAPIImport(SourceFile(path: "api.json", text: text), options)
            imports.append(imported)
            questions.append([
                "text": .string(text), "accepted": .list(imported.acceptedSchemes),
                "elsewhere": .list(options.checkedElsewhere),
            ])
        }
        let results = try #require(
            try PeerProgram.answer(of: "openapi_requests.py", to: .array(questions)).array)
        #expect(results.count == imports.count)
        var counts = (allowed: 0, refused: 0, stricter: 0)
        for (imported, result) in zip(imports, results) {
            let map = ResourceMapFile(SourceFile(path: "map.yaml", text: imported.map))
            let (table, problems) = RouteTable.reading(map.entries, hosts: map.hosts)
            #expect(map.diagnostics.isEmpty && problems.isEmpty, "\(imported.map)")
            for row in result.array ?? [] {
                let request = CheckedRequest(
                    method: row["method"]?.string ?? "", target: row["target"]?.string ?? "",
                    host: row["host"]?.string ?? "any.example", scopes: row["scopes"]?.array?.compactMap(\.string))
                let decision = request.decision(by: table, now: Date(timeIntervalSince1970: 0))
                switch (decision.isAllowed, row["allowed"]?.bool == true) {
                case (true, true): counts.allowed += 1
                case (false, false): counts.refused += 1
                case (true, false): Issue.record("\(row.jsonText()) is allowed: \(imported.map)")
                case (false, true):
                    counts.stricter += 1
                    let isExplained = imported.findings.all.contains { $0.message.contains("map ") }
                    #expect(
                        row["said"]?.isNull == true || isExplained && row["said"]?.bool == false,
                        "\(row.jsonText()) is refused, \(decision.reason): \(imported.map)")
                }
            }
        }
        #expect(counts.allowed > 1_000 && counts.refused > 1_000 && counts.stricter > 10, "\(counts)")
    }

    @Test("Of a document with a mistake anywhere, the map has no finding either")
    func mutatedDocuments() throws {
        var writer = Writer(random: SplitMix64(seed: 4))
        var counts = (read: 0, refused: 0)
        for _ in 0..<400 {
            var bytes = Array(writer.document().jsonText().utf8)
            for _ in 0...writer.random.below(3) {
                let place = writer.random.below(bytes.count)
                switch writer.random.below(4) {
                case 0: bytes.remove(at: place)
                case 1: bytes[place] = UInt8(0x20 + writer.random.below(0x5F))
                case 2: bytes.swapAt(place, writer.random.below(bytes.count))
                default: bytes.insert(contentsOf: writer.random.pick(["null", "{", "[]", "\"", ","]).utf8, at: place)
                }
            }
            let file = SourceFile(path: "api.json", bytes: bytes)
            do {
                let imported = try OpenAPIImport(file, OpenAPIImport.Options())
                counts.read += 1
                let map = ResourceMapFile(SourceFile(path: "map.yaml", text: imported.map))
                #expect(map.diagnostics.isEmpty && map.entries.count == imported.resources.count, "\(imported.map)")
                // What looks like a slip in the document is a warning about the draft, too.
                #expect(
                    imported.findings.all.allSatisfy { $0.file == nil || $0.severity == .warning },
                    "\(imported.findings.all)\n\(imported.map)")
            } catch let failure as WritingError {
                counts.refused += 1
                #expect(failure.description.hasPrefix("api.json"), "\(failure)")
            }
        }
        #expect(counts.read > 50 && counts.refused > 50, "\(counts)")
    }
}
