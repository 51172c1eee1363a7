// Without this file, SwiftPM looks for XCTest cases, of which there are none, in an index that the compiler has to write.
import Testing

@main struct Tests {
    static func main() async {
        await Testing.__swiftPMEntryPoint() as Never
    }
}
