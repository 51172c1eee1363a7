import CarnetDescriptors
import CarnetFoundation

/// One request of the section `connection`.
struct ConnectionCall: Sendable {
    /// The path of its section.
    let name: String
    let rules: CallRules
    let place: Place<CallRules>

    static func all(in descriptor: ProviderDescriptor, _ places: Place<DescriptorRules>) -> [ConnectionCall] {
        let (rules, places) = (descriptor.connection, places.connection)
        let lookups = rules.lookups.items.map { lookup in
            ConnectionCall(
                name: "connection.lookups.\(lookup.name)", rules: lookup.value.call,
                place: places.lookups[lookup.name].call)
        }
        func listed(_ key: String, _ rules: [CallRules], _ place: Place<[CallRules]>) -> [ConnectionCall] {
            rules.enumerated().map { index, rules in
                ConnectionCall(name: "connection.\(key).\(index)", rules: rules, place: place[index])
            }
        }
        return lookups + listed("on_connect", rules.onConnect, places.onConnect)
            + listed("on_disconnect", rules.onDisconnect, places.onDisconnect)
    }
}
