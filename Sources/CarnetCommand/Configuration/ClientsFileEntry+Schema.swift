import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetLint

extension ClientsFileEntry {
    static var schema: JSONValue {
        DescriptorSchema.document(
            of: .map(of: shape), title: "Carnet clients file",
            "The client registrations of a host, by provider id.")
    }
}
