public import CarnetFoundation

/// A JSON Schema validator that nobody here wrote: `Tests/Peers/validate.py`.
public enum SchemaValidator {
    public struct Answer: Sendable {
        /// What the meta-schema has against the schema.
        public let schema: String?
        /// What the schema has against each instance, in their order; `nil` for one that it accepts.
        public let instances: [String?]
    }

    /// - Parameter schema: One of draft 2020-12, or the name of one of SchemaStore's.
    public static func validate(_ instances: [JSONValue], against schema: JSONValue) throws -> Answer {
        let answered = try PeerProgram.answer(
            of: "validate.py", to: ["schema": schema, "instances": .array(instances)])
        guard let reasons = answered["instances"]?.array else { throw PeerProgram.Failure(reason: "no answer") }
        return Answer(schema: answered["schema"]?.string, instances: reasons.map(\.string))
    }
}
