import Carnet
import CarnetSandbox
import CarnetTesting
import Foundation
import Testing

extension Quirk {
    static let tokenRequest: [Quirk] = []
}
