import Foundation

/// The programs of this package, as the build left them beside the test bundle.
enum BuiltProduct {
    static let carnet = folder.appending(path: "carnet")

    static let folder: URL = {
        #if os(macOS)
            if let tests = Bundle.allBundles.first(where: { $0.bundleURL.pathExtension == "xctest" }) {
                return tests.bundleURL.deletingLastPathComponent()
            }
        #endif
        return Bundle.main.bundleURL
    }()

    /// The checkout that the tests were built from.
    static let package = URL(filePath: #filePath)
        .deletingLastPathComponent()
        .appending(path: "../../../..")
        .standardizedFileURL
}
