// swift-tools-version: 6.1
import PackageDescription

/// What the command sends requests with; see Docs/decisions/transports.md.
let commandTransport: [Target.Dependency] = [
    .target(name: "CarnetCurl", condition: .when(platforms: [.linux])),
    .target(name: "CarnetHTTP", condition: .when(platforms: [.macOS])),
]

/// The transport of a tool and of a site.
let systemTransport: [Target.Dependency] = [
    .target(name: "CarnetCurl", condition: .when(platforms: [.linux])),
    .target(name: "CarnetURLSession", condition: .when(platforms: [.macOS, .iOS, .tvOS, .watchOS, .visionOS])),
]

/// libyaml of the system, or the copy inside Yams on platforms whose systems have none.
let libyaml: [Target.Dependency] = [
    .target(name: "CLibYAML", condition: .when(platforms: [.linux])),
    .product(name: "Yams", package: "Yams", condition: .when(platforms: [.macOS, .iOS, .tvOS, .watchOS, .visionOS])),
]

/// OpenSSL of the system, or swift-crypto on platforms whose systems have none; see Docs/decisions/crypto.md.
let libcrypto: [Target.Dependency] =
    [.target(name: "CLibCrypto", condition: .when(platforms: [.linux]))]
    + ["Crypto", "CryptoExtras"].map {
        .product(
            name: $0, package: "swift-crypto",
            condition: .when(platforms: [.macOS, .iOS, .tvOS, .watchOS, .visionOS]))
    }

/// The tool that checks descriptors at build time. With `CARNET_DESCRIPTOR_TOOL`, the path of a prebuilt one, no host compiles it.
let descriptorTool: [Target.Dependency] =
    Context.environment["CARNET_DESCRIPTOR_TOOL"] == nil ? ["carnet-descriptor-tool"] : []

/// All in a folder of its own, whose command needs them. None where a package manager fetched Carnet, so that an app resolves no
/// server: it reads the manifest from the repository, as if at the root, and then in its checkouts.
let folders = Context.packageDirectory.split(separator: "/")
let isFetched = folders.isEmpty || folders.contains("checkouts") || folders.contains("downloads")
let defaultTraits: Set<String> = isFetched ? [] : ["CarnetCommand", "CarnetHTTP", "CarnetHummingbird", "CarnetSQLite"]

let package = Package(
    name: "carnet",
    defaultLocalization: "en",
    platforms: [.macOS(.v14), .iOS(.v17), .tvOS(.v17), .watchOS(.v10), .visionOS(.v1)],
    products: [
        // One for an app, for a tool and for a site, and what others choose themselves: see Docs/products.md.
        .library(name: "Carnet", targets: ["Carnet", "CarnetCatalog", "CarnetStorage"]),
        .library(name: "CarnetApple", targets: ["CarnetApple", "CarnetURLSession"]),
        .library(name: "CarnetCurl", targets: ["CarnetCurl"]),
        .library(name: "CarnetHTTP", targets: ["CarnetHTTP"]),
        .library(name: "CarnetHummingbird", targets: ["CarnetHummingbird"]),
        .library(name: "CarnetLint", targets: ["CarnetLint"]),
        .library(name: "CarnetPostgreSQL", targets: ["CarnetPostgreSQL"]),
        .library(name: "CarnetSQLite", targets: ["CarnetSQLite"]),
        .library(name: "CarnetTesting", targets: ["CarnetSandbox", "CarnetTesting"]),
        .library(name: "CarnetTool", targets: ["CarnetTool", "CarnetUserAgent"]),
        .library(name: "CarnetWeb", targets: ["CarnetResourceServer", "CarnetWeb"]),
        .plugin(name: "CarnetProviders", targets: ["CarnetProviders"]),
        .executable(name: "carnet", targets: ["CarnetCommand"]),
        .executable(name: "carnet-descriptor-tool", targets: ["carnet-descriptor-tool"]),
    ],
    // Named as the product that needs other packages. A host that names its products' traits resolves no others: see
    // Docs/decisions/package-traits.md.
    traits: [
        .trait(name: "CarnetCommand"), .trait(name: "CarnetHTTP"), .trait(name: "CarnetHummingbird"),
        .trait(name: "CarnetSQLite"), .default(enabledTraits: defaultTraits),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // MARK: Descriptors

        .systemLibrary(
            name: "CLibYAML",
            pkgConfig: "yaml-0.1",
            providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]
        ),
        // FoundationEssentials where the toolchain has it, Foundation elsewhere.
        .target(name: "CarnetFoundation"),
        .target(
            name: "CarnetDescriptors",
            dependencies: libyaml + ["CarnetFoundation"]
        ),
        .target(name: "CarnetLint", dependencies: ["CarnetDescriptors", "CarnetFoundation"]),
        .target(
            name: "CarnetCatalog",
            dependencies: ["Carnet", "CarnetDescriptors", .product(name: "Logging", package: "swift-log")]
        ),
        .plugin(
            name: "CarnetProviders",
            capability: .buildTool(),
            dependencies: descriptorTool,
            path: "Sources/CarnetProviders"
        ),
        .executableTarget(
            name: "carnet-descriptor-tool",
            dependencies: ["CarnetDescriptors", "CarnetFoundation", "CarnetLint"]),

        // MARK: Engine

        .target(name: "CLibCrypto", linkerSettings: [.linkedLibrary("crypto", .when(platforms: [.linux]))]),
        .target(name: "CarnetCrypto", dependencies: libcrypto + ["CarnetFoundation"]),
        .target(
            name: "CarnetProtocol",
            dependencies: [
                "CarnetCrypto", "CarnetDescriptors", "CarnetFoundation",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .target(
            name: "Carnet",
            dependencies: [
                "CarnetDescriptors", "CarnetFoundation", "CarnetProtocol",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]
        ),

        // MARK: Edges

        // What the transports share, without a network library: an app links it without swift-nio.
        .target(
            name: "CarnetTransport",
            dependencies: [
                "CLibZ", "Carnet", "CarnetFoundation", "CarnetProtocol",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .systemLibrary(name: "CLibZ", providers: [.apt(["zlib1g-dev"])]),
        .target(name: "CLibCurl"),
        .target(
            name: "CarnetCurl",
            dependencies: [
                "CLibCurl", "Carnet", "CarnetFoundation", "CarnetProtocol", "CarnetTransport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .target(
            name: "CarnetHTTP",
            dependencies: [
                "Carnet", "CarnetFoundation", "CarnetProtocol", "CarnetTransport",
                .product(
                    name: "AsyncHTTPClient", package: "async-http-client", condition: .when(traits: ["CarnetHTTP"])),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["CarnetHTTP"])),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["CarnetHTTP"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["CarnetHTTP"])),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["CarnetHTTP"])),
            ]
        ),
        .target(
            name: "CarnetURLSession",
            dependencies: [
                "Carnet", "CarnetFoundation", "CarnetProtocol", "CarnetTransport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        // Apple platforms: the sign-in sheet, the Keychain and views. What decides anything compiles everywhere.
        .target(
            name: "CarnetApple",
            dependencies: [
                "Carnet", "CarnetCatalog", "CarnetDescriptors", "CarnetFoundation", "CarnetProtocol", "CarnetStorage",
                "CarnetURLSession",
            ],
            resources: [.process("SwiftUI/Resources")]
        ),
        .target(name: "CarnetUserAgent", dependencies: ["Carnet", "CarnetFoundation", "CarnetProtocol"]),
        .target(
            name: "CarnetTool",
            dependencies: systemTransport + [
                "Carnet", "CarnetCatalog", "CarnetFoundation", "CarnetStorage", "CarnetUserAgent",
            ]
        ),

        // MARK: Stores

        .target(
            name: "CarnetStorage",
            dependencies: [
                "Carnet", "CarnetCrypto", "CarnetFoundation", "CarnetProtocol",
            ]
        ),
        .target(
            name: "CarnetSQLite",
            dependencies: [
                "Carnet", "CarnetFoundation", "CarnetProtocol", "CarnetStorage",
                .product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["CarnetSQLite"])),
            ]
        ),
        // The system's libpq, loaded when a program first connects.
        .target(name: "CLibPQ"),
        .target(
            name: "CarnetPostgreSQL",
            dependencies: ["CLibPQ", "Carnet", "CarnetFoundation", "CarnetProtocol", "CarnetStorage"]),

        .target(
            name: "CarnetWeb",
            dependencies: [
                "Carnet", "CarnetCrypto", "CarnetDescriptors", "CarnetFoundation", "CarnetProtocol", "CarnetStorage",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .target(
            name: "CarnetResourceServer",
            dependencies: [
                "Carnet", "CarnetDescriptors", "CarnetFoundation", "CarnetProtocol",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        // Rules, decisions and the file of `carnet gateway`, without a server.
        .target(
            name: "CarnetGateway",
            dependencies: [
                "Carnet", "CarnetCrypto", "CarnetDescriptors", "CarnetFoundation", "CarnetLint", "CarnetProtocol",
                "CarnetResourceServer", "CarnetWeb",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
            ],
            // Bytes in the program: no bundle is looked for at run time.
            resources: [.embedInCode("Proxies/Templates")]
        ),
        .target(
            name: "CarnetHummingbird",
            dependencies: [
                "CarnetFoundation", "CarnetResourceServer", "CarnetTool", "CarnetWeb",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["CarnetHummingbird"])),
                .product(
                    name: "HummingbirdCore", package: "hummingbird", condition: .when(traits: ["CarnetHummingbird"])),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["CarnetHummingbird"])),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["CarnetHummingbird"])),
                .product(
                    name: "NIOHTTPTypes", package: "swift-nio-extras", condition: .when(traits: ["CarnetHummingbird"])),
                .product(
                    name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras",
                    condition: .when(traits: ["CarnetHummingbird"])),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle",
                    condition: .when(traits: ["CarnetHummingbird"])),
            ]
        ),

        // MARK: Proof

        .target(
            name: "CarnetSandbox",
            dependencies: [
                "CarnetCrypto", "CarnetDescriptors", "CarnetFoundation",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .target(
            name: "CarnetTesting",
            dependencies: [
                "Carnet", "CarnetDescriptors", "CarnetFoundation", "CarnetProtocol", "CarnetSandbox",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),

        .target(
            name: "CarnetSimulation",
            dependencies: [
                "CarnetDescriptors", "CarnetFoundation", "CarnetLint", "CarnetProtocol",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),

        // MARK: Command line

        // The test client and the server of the sandbox, and the site of `carnet demo`.
        .target(
            name: "CarnetDemo",
            dependencies: [
                "Carnet", "CarnetDescriptors", "CarnetFoundation", "CarnetHummingbird", "CarnetLint",
                "CarnetProtocol", "CarnetSandbox", "CarnetSimulation", "CarnetTesting", "CarnetTransport",
                "CarnetUserAgent", "CarnetWeb",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["CarnetCommand"])),
                .product(
                    name: "HummingbirdCore", package: "hummingbird", condition: .when(traits: ["CarnetCommand"])),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["CarnetCommand"])),
            ],
            resources: [.embedInCode("Site/Assets")]
        ),
        .target(
            name: "CarnetOpenAPI",
            dependencies: ["CarnetDescriptors", "CarnetFoundation", "CarnetLint", "CarnetProtocol"]),
        .executableTarget(
            name: "CarnetCommand",
            dependencies: commandTransport + [
                "Carnet", "CarnetCatalog", "CarnetDemo", "CarnetDescriptors", "CarnetFoundation", "CarnetGateway",
                "CarnetHummingbird", "CarnetLint", "CarnetOpenAPI", "CarnetPostgreSQL", "CarnetProtocol",
                "CarnetResourceServer", "CarnetSandbox", "CarnetSimulation", "CarnetStorage", "CarnetTesting",
                "CarnetTransport",
                "CarnetUserAgent", "CarnetWeb",
                .product(
                    name: "ArgumentParser", package: "swift-argument-parser",
                    condition: .when(traits: ["CarnetCommand"])),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["CarnetCommand"])),
                .product(
                    name: "HummingbirdCore", package: "hummingbird", condition: .when(traits: ["CarnetCommand"])),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["CarnetCommand"])),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle",
                    condition: .when(traits: ["CarnetCommand"])),
            ]
        ),

        // MARK: Tests

        .testTarget(
            name: "CarnetDescriptorsTests",
            dependencies: ["CarnetDescriptors", "CarnetFoundation", "CarnetLint", "CarnetTestSupport"]),
        .testTarget(
            name: "DescriptorToolTests",
            dependencies: [
                "CarnetCatalog", "CarnetDescriptors", "CarnetFoundation",
                "carnet-descriptor-tool",
            ]),
        .testTarget(
            name: "CarnetLintTests",
            dependencies: [
                "CarnetDescriptors", "CarnetFoundation", "CarnetGateway", "CarnetLint", "CarnetSimulation",
                "CarnetTestSupport", "Fuzzing",
            ],
            exclude: ["Edits", "Golden", "Valid"]
        ),
        .testTarget(
            name: "CarnetSimulationTests",
            dependencies: [
                "CarnetDescriptors", "CarnetFoundation", "CarnetLint", "CarnetProtocol", "CarnetSimulation",
            ]
        ),
        .target(
            name: "CarnetTestSupport",
            dependencies: [
                "Carnet", "CarnetDescriptors", "CarnetFoundation", "CarnetProtocol", "CarnetResourceServer",
                "CarnetTesting",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            path: "Tests/Support/CarnetTestSupport"
        ),
        .testTarget(
            name: "CarnetProtocolTests",
            dependencies: [
                "CarnetDescriptors", "CarnetFoundation", "CarnetProtocol", "CarnetSimulation", "CarnetTestSupport",
                "CarnetTesting",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            exclude: ["Vectors"]
        ),
        .testTarget(
            name: "CarnetTests",
            dependencies: [
                "Carnet", "CarnetDescriptors", "CarnetFoundation", "CarnetProtocol", "CarnetTestSupport",
                "CarnetTesting",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]
        ),
        // Servers and clients whose bytes and certificates a test chooses.
        .target(
            name: "CarnetServerTestSupport",
            dependencies: [
                "Carnet", "CarnetCurl", "CarnetDescriptors", "CarnetFoundation", "CarnetHTTP", "CarnetUserAgent",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            path: "Tests/Support/ServerTestSupport"
        ),
        .testTarget(
            name: "AttackTests",
            dependencies: [
                "Carnet", "CarnetDescriptors", "CarnetFoundation", "CarnetGateway", "CarnetHTTP", "CarnetProtocol",
                "CarnetResourceServer", "CarnetSandbox", "CarnetServerTestSupport", "CarnetStorage",
                "CarnetTestSupport", "CarnetTesting", "CarnetTransport",
                "CarnetURLSession", "CarnetUserAgent", "CarnetWeb", "Fuzzing",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            path: "Tests/Attacks/AttackTests",
            exclude: ["matrix.txt"]
        ),
        .testTarget(
            name: "GatewayTests",
            dependencies: [
                "Carnet", "CarnetDescriptors", "CarnetFoundation", "CarnetGateway", "CarnetLint", "CarnetProtocol",
                "CarnetTestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .testTarget(
            name: "ResourceServerTests",
            dependencies: [
                "Carnet", "CarnetDescriptors", "CarnetFoundation", "CarnetProtocol", "CarnetResourceServer",
                "CarnetTestSupport", "CarnetTesting",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .testTarget(
            name: "CarnetSandboxTests",
            dependencies: [
                "CarnetDescriptors", "CarnetFoundation", "CarnetSandbox", "CarnetDemo",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .testTarget(
            name: "CarnetTestingTests",
            dependencies: [
                "Carnet", "CarnetProtocol", "CarnetTesting",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .testTarget(
            name: "CarnetHTTPTests",
            dependencies: [
                "Carnet", "CarnetDescriptors", "CarnetFoundation", "CarnetHTTP", "CarnetProtocol",
                "CarnetServerTestSupport", "CarnetTesting", "CarnetTransport", "CarnetURLSession",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]
        ),
        .target(
            name: "CarnetStoreTestSupport",
            dependencies: [
                "Carnet", "CarnetDescriptors", "CarnetFoundation", "CarnetHTTP", "CarnetPostgreSQL",
                "CarnetProtocol", "CarnetSQLite", "CarnetServerTestSupport", "CarnetStorage", "CarnetTestSupport",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            path: "Tests/Support/StoreTestSupport"
        ),
        .executableTarget(
            name: "StoreWorker",
            dependencies: [
                "Carnet", "CarnetDescriptors", "CarnetFoundation", "CarnetHTTP", "CarnetStoreTestSupport",
                "CarnetTesting", "CarnetURLSession",
            ],
            path: "Tests/Support/StoreWorker"
        ),
        // Processes that lose their database, or are stopped, while they refresh: what no short test can show.
        .executableTarget(
            name: "StoreFaults",
            dependencies: [
                "CarnetStoreTestSupport", "StoreWorker",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Programs/StoreFaults"
        ),
        .testTarget(
            name: "CarnetSQLiteTests",
            dependencies: [
                "Carnet", "CarnetProtocol", "CarnetSQLite", "CarnetStoreTestSupport", "CarnetTesting",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]
        ),
        .testTarget(
            name: "CarnetPostgreSQLTests",
            dependencies: [
                "Carnet", "CarnetDescriptors", "CarnetFoundation", "CarnetPostgreSQL", "CarnetProtocol",
                "CarnetServerTestSupport", "CarnetStorage", "CarnetStoreTestSupport", "CarnetTesting",
            ]
        ),
        .testTarget(
            name: "StoreProofTests",
            dependencies: [
                "Carnet", "CarnetHTTP", "CarnetProtocol", "CarnetSandbox", "CarnetDemo",
                "CarnetServerTestSupport", "CarnetStoreTestSupport", "CarnetTestSupport", "CarnetTesting",
                "StoreWorker",
            ],
            path: "Tests/Flows/StoreProofTests"
        ),
        .testTarget(
            name: "CarnetStorageTests",
            dependencies: [
                "Carnet", "CarnetDescriptors", "CarnetFoundation", "CarnetProtocol", "CarnetStorage",
                "CarnetStoreTestSupport", "CarnetTesting",
            ]
        ),
        .testTarget(
            name: "CarnetAppleTests",
            dependencies: [
                "Carnet", "CarnetApple", "CarnetCatalog", "CarnetDescriptors", "CarnetFoundation", "CarnetProtocol",
                "CarnetSandbox", "CarnetTestSupport", "CarnetTesting", "SampleApps",
            ]
        ),
        // The model layers of the sample apps; their views are for Xcode alone.
        .target(
            name: "SampleApps",
            dependencies: ["CarnetApple"],
            path: "Examples",
            exclude: [
                "Auth0/Auth0App.swift", "Auth0/GreetingPreview.swift", "Auth0/clients.yaml",
                "Cloudentity/CloudentityApp.swift", "Cloudentity/clients.yaml", "Cloudentity/scopeData.json",
                "Examples.xcodeproj", "Google/GoogleApp.swift", "Google/clients.yaml", "README.md",
            ],
            packageAccess: false
        ),
        .testTarget(
            name: "CarnetUserAgentTests",
            dependencies: [
                "Carnet", "CarnetDescriptors", "CarnetFoundation", "CarnetProtocol", "CarnetServerTestSupport",
                "CarnetTestSupport", "CarnetTesting", "CarnetTool", "CarnetUserAgent",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "CarnetCommandTests",
            dependencies: [
                "Carnet", "CarnetCatalog", "CarnetCommand", "CarnetDemo", "CarnetDescriptors", "CarnetFoundation",
                "CarnetGateway", "CarnetHTTP", "CarnetHummingbird", "CarnetLint", "CarnetOpenAPI", "CarnetProtocol",
                "CarnetSandbox", "CarnetServerTestSupport", "CarnetSimulation", "CarnetTestSupport", "CarnetTesting",
                "CarnetWeb",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            exclude: ["Catalogue"],
            resources: [.copy("Fixtures")]
        ),
        .testTarget(
            name: "WebTests",
            dependencies: [
                "Carnet", "CarnetDescriptors", "CarnetFoundation", "CarnetHummingbird", "CarnetProtocol",
                "CarnetResourceServer", "CarnetSandbox", "CarnetServerTestSupport", "CarnetStorage",
                "CarnetTestSupport", "CarnetTesting", "CarnetWeb",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]
        ),
        .testTarget(
            name: "GatewaySiteTests",
            dependencies: [
                "Carnet", "CarnetDescriptors", "CarnetFoundation", "CarnetGateway", "CarnetProtocol",
                "CarnetResourceServer", "CarnetSandbox", "CarnetStorage", "CarnetTestSupport", "CarnetTesting",
                "CarnetWeb",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(
            name: "SignInTests",
            dependencies: [
                "Carnet", "CarnetCatalog", "CarnetLint", "CarnetProtocol", "CarnetSandbox", "CarnetSimulation",
                "CarnetTestSupport", "CarnetTesting", "CarnetTransport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            path: "Tests/Flows/SignInTests",
            exclude: ["Metadata"]
        ),
        // The OpenID provider of the conformance suite: it shares no code with this package.
        .target(
            name: "ConformanceProvider",
            dependencies: [
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ],
            path: "Tests/Conformance/Provider"
        ),
        .testTarget(
            name: "ConformanceTests",
            dependencies: [
                "Carnet", "CarnetDescriptors", "CarnetFoundation", "CarnetProtocol", "CarnetSimulation",
                "CarnetStorage",
                "CarnetTestSupport", "CarnetTesting", "CarnetWeb", "ConformanceProvider",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            path: "Tests/Conformance/ConformanceTests"
        ),
        // The site that the OpenID Foundation's own suite tests: see Docs/certification.md.
        .executableTarget(
            name: "ConformanceSite",
            dependencies: [
                "CarnetHTTP", "CarnetHummingbird", "CarnetWeb",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ],
            path: "Tests/Conformance/Site",
            packageAccess: false
        ),
        // Keys and certificates as OpenSSL writes them, for tests.
        .systemLibrary(
            name: "COpenSSL",
            path: "Tests/Support/COpenSSL",
            pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]
        ),
        .testTarget(
            name: "OracleTests",
            dependencies: [
                "Carnet", "CarnetCrypto", "CarnetDescriptors", "CarnetFoundation", "CarnetProtocol",
                "CarnetResourceServer", "CarnetSandbox", "CarnetStorage", "CarnetTestSupport", "CarnetTesting",
                .target(name: "COpenSSL", condition: .when(platforms: [.linux])),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ],
            path: "Tests/Peers/OracleTests"
        ),
        // What the requests at the built-in providers are compared with: facts that were entered a second time.
        .testTarget(
            name: "FactTests",
            dependencies: [
                "CarnetCatalog", "CarnetDescriptors", "CarnetFoundation", "CarnetProtocol", "CarnetSimulation",
                "CarnetTestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            path: "Tests/Peers/Facts",
            exclude: [
                "README.md", "facts.tsv", "published-settled.tsv", "published.py", "published.tsv", "settled.tsv",
            ]
        ),
        .testTarget(
            name: "RepositoryTests",
            dependencies: [
                "CarnetCatalog", "CarnetDescriptors", "CarnetFoundation", "CarnetGateway", "CarnetLint",
                "CarnetProtocol",
                "CarnetSimulation", "CarnetTestSupport",
            ],
            exclude: ["PublicSurface"]
        ),
        // The Swift of the documentation, so that it compiles.
        .executableTarget(
            name: "HostProgram",
            dependencies: [
                "Carnet", "CarnetCatalog", "CarnetCurl", "CarnetHTTP", "CarnetLint", "CarnetTool",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            path: "Tests/Programs/Snippets/HostProgram",
            packageAccess: false
        ),
        // The lines with which a page begins, with the one product that it names.
        .executableTarget(
            name: "ToolLines", dependencies: ["CarnetTool"], path: "Tests/Programs/Snippets/ToolLines",
            packageAccess: false),
        .executableTarget(
            name: "SiteLines",
            dependencies: ["CarnetHummingbird", .product(name: "Hummingbird", package: "hummingbird")],
            path: "Tests/Programs/Snippets/SiteLines",
            packageAccess: false
        ),
        .executableTarget(
            name: "HostServer",
            dependencies: [
                "CarnetCatalog", "CarnetHummingbird", "CarnetResourceServer", "CarnetTool", "CarnetWeb",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ],
            path: "Tests/Programs/Snippets/HostServer",
            packageAccess: false
        ),
        .executableTarget(name: "EventLoop", dependencies: libyaml, path: "Tests/Programs/EventLoop"),
        .executableTarget(
            name: "Fuzzing",
            dependencies: [
                "Carnet", "CarnetDescriptors", "CarnetFoundation", "CarnetGateway", "CarnetLint", "CarnetProtocol",
                "CarnetSimulation", "CarnetStorage", "CarnetTestSupport", "CarnetTesting", "CarnetWeb",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            path: "Tests/Attacks/Fuzzing",
            exclude: ["Corpus", "Messages"]
        ),
        .executableTarget(
            name: "StoreSnippets",
            dependencies: [
                "Carnet", "CarnetPostgreSQL", "CarnetSQLite", "CarnetWeb",
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/Programs/Snippets/Stores",
            packageAccess: false
        ),
        .executableTarget(
            name: "FleetBenchmark",
            dependencies: [
                "Carnet", "CarnetDescriptors", "CarnetFoundation", "CarnetProtocol", "CarnetStoreTestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            path: "Tests/Programs/FleetBenchmark"
        ),
        .executableTarget(
            name: "WebBenchmark",
            dependencies: [
                "BenchmarkSubjects", "Carnet", "CarnetDescriptors", "CarnetFoundation", "CarnetHummingbird",
                "CarnetProtocol", "CarnetSandbox",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            path: "Tests/Programs/WebBenchmark"
        ),
        .target(
            name: "BenchmarkSubjects",
            dependencies: [
                "Carnet", "CarnetDescriptors", "CarnetFoundation", "CarnetProtocol", "CarnetResourceServer",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            path: "Tests/Programs/BenchmarkSubjects"
        ),
        .executableTarget(
            name: "Benchmarks",
            dependencies: libyaml + [
                "BenchmarkSubjects", "Carnet", "CarnetCatalog", "CarnetDescriptors", "CarnetFoundation",
                "CarnetHTTP", "CarnetLint", "CarnetProtocol", "CarnetSandbox",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            path: "Tests/Programs/Benchmarks"
        ),
        .executableTarget(
            name: "HotPaths",
            dependencies: [
                "BenchmarkSubjects", "Carnet", "CarnetDescriptors", "CarnetFoundation", "CarnetLint",
                "CarnetSimulation",
            ],
            path: "Tests/Programs/HotPaths",
            exclude: ["counts.py", "counts.tsv"]
        ),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where ![.plugin, .system].contains(target.type) {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
    if target.type == .test, target.path == nil { target.path = "Tests/Modules/\(target.name)" }
}

// What the App Store requires of a module that calls `stat`. On Linux, a resource would load all of Foundation.
for target in package.targets where ["CarnetDescriptors", "CarnetFoundation", "CarnetStorage"].contains(target.name) {
    #if os(macOS)
        target.resources = [.copy("PrivacyInfo.xcprivacy")]
    #else
        target.exclude.append("PrivacyInfo.xcprivacy")
    #endif
}

// With the names of test targets in `CARNET_TESTS`, only they and what they need are compiled; see .ci/test.
if let names = Context.environment["CARNET_TESTS"]?.split(separator: ",").map(String.init) {
    package.targets.removeAll { $0.type == .test && !names.contains($0.name) }
}

// What the tests need is no dependency of a host.
for target in package.targets where target.path?.hasPrefix("Tests/") ?? false {
    target.dependencies = target.dependencies.map { dependency in
        guard case .productItem(let name, let package?, _, _) = dependency else { return dependency }
        return .product(name: name, package: package, condition: .when(traits: ["CarnetCommand"]))
    }
}
