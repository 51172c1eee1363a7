/// What the decoder can find wrong. The raw value is the diagnostic's code.
package enum DecoderRule: String, CaseIterable, Sendable {
    case unknownKey = "K001"
    case wrongType = "K002"
    case missingKey = "K003"
    case valueNotAllowed = "K004"
    case badTemplate = "K005"
    case badPointer = "K006"
    case missingReason = "K007"
    case emptyValue = "K008"
}
