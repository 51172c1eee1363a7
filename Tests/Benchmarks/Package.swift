// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "carnet", path: "../.."),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    ],
    targets: [
        .systemLibrary(name: "CLibYAMLFloor", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "CLibYAMLFloor",
                .product(name: "Carnet", package: "carnet"),
                .product(name: "CarnetCatalog", package: "carnet"),
                .product(name: "CarnetLint", package: "carnet"),
                .product(name: "CarnetSandbox", package: "carnet"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
