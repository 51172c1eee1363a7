import CarnetDescriptors
import CarnetFoundation

struct TrialResult {
    var hasFailed = false
    var hasRefreshed = false
    var stepCount = 0
    var requestCount = 0
    var requested: [String] = []
    var granted: [String] = []
    var profile: [Named<JSONValue>] = []
    var resources: [ResourceAccess] = []
}

extension ResourceAccess {
    var json: JSONValue {
        [
            "id": .optional(resource.id), "title": .string(resource.title),
            "method": .string(resource.method.rawValue), "url": .string(resource.url),
            "open": .bool(isOpen), "missing": .list(missing),
        ]
    }
}
