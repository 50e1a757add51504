// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

// Apple's app stores require this manifest.
let privacyManifest = "PrivacyInfo.xcprivacy"
#if os(macOS)
    let (resources, unused): ([Resource], [String]) = ([.copy(privacyManifest)], [])
#else
    let (resources, unused): ([Resource], [String]) = ([], [privacyManifest])
#endif

let package = Package(
    name: "Swallow",
    platforms: [.macOS(.v14), .iOS(.v17), .tvOS(.v17), .watchOS(.v10), .visionOS(.v1)],
    products: [
        .library(name: "Swallow", targets: ["Swallow"]),
        .library(name: "SwallowResources", targets: ["SwallowResources"]),
        .library(name: "SwallowWebSockets", targets: ["SwallowWebSockets"]),
        .library(name: "SwallowJSON", targets: ["SwallowJSON"]),
        .library(name: "DecodePipeline", targets: ["DecodePipeline"]),
        .library(name: "SwallowTesting", targets: ["SwallowTesting"]),
    ],
    targets: [
        .target(name: "SwallowLock", swiftSettings: settings),
        .target(name: "SwallowJSON", dependencies: ["ByteScan", "SwallowLock"], swiftSettings: settings),
        .target(
            name: "Swallow",
            dependencies: [
                "SwallowJSON", "SwallowLock",
                .target(name: "CurlEngine", condition: .when(platforms: [.linux])),
            ],
            exclude: unused,
            resources: resources,
            swiftSettings: settings),
        .target(name: "SwallowResources", dependencies: ["Swallow", "SwallowLock"], swiftSettings: settings),
        .target(
            name: "SwallowWebSockets",
            dependencies: ["Swallow", .target(name: "CurlBinding", condition: .when(platforms: [.linux]))],
            swiftSettings: settings),
        .target(name: "ByteScan"),
        .target(name: "CurlBinding", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
        .target(name: "CurlEngine", dependencies: ["CurlBinding", "SwallowLock"], swiftSettings: settings),
        .target(name: "DecodePipeline", dependencies: ["SwallowJSON"], swiftSettings: settings),
        .target(name: "SwallowTesting", dependencies: ["Swallow"], swiftSettings: settings),
        .target(
            name: "LoopbackServer",
            dependencies: ["Swallow", "SwallowTesting"],
            path: "Tests/LoopbackServer",
            swiftSettings: settings),
        .target(
            name: "WebSocketServer",
            dependencies: ["SwallowTesting", "SwallowWebSockets", "LoopbackServer"],
            path: "Tests/WebSocketServer",
            swiftSettings: settings),
        .target(
            name: "TestSupport", dependencies: ["Swallow"], path: "Tests/TestSupport", swiftSettings: settings
        ),
        .executableTarget(
            name: "StoreLocator",
            dependencies: ["Swallow", "LoopbackServer"],
            path: "Examples/StoreLocator",
            swiftSettings: settings),
        .executableTarget(
            name: "GitHubBrowser",
            dependencies: ["Swallow", "SwallowResources", "LoopbackServer"],
            path: "Examples/GitHubBrowser",
            exclude: ["Fixtures"],
            swiftSettings: settings),
        .executableTarget(
            name: "Dashboard",
            dependencies: ["Swallow", "SwallowResources", "LoopbackServer"],
            path: "Examples/Dashboard",
            swiftSettings: settings),
        .executableTarget(
            name: "Fetch", dependencies: ["Swallow", "LoopbackServer"], path: "Examples/Fetch",
            swiftSettings: settings),
        .executableTarget(
            name: "Chat",
            dependencies: ["Swallow", "SwallowWebSockets", "LoopbackServer", "WebSocketServer"],
            path: "Examples/Chat",
            swiftSettings: settings),
        .executableTarget(
            name: "HARTool",
            dependencies: ["Swallow", "SwallowTesting", "LoopbackServer"],
            path: "Examples/HARTool",
            exclude: ["example.har"],
            swiftSettings: settings),
        .testTarget(
            name: "SwallowJSONTests",
            dependencies: ["SwallowJSON", "ByteScan", "DecodePipeline", "TestSupport"],
            swiftSettings: settings),
        .target(
            name: "StoresModels",
            dependencies: ["Swallow", "SwallowResources"],
            path: "Examples/Stores/Models",
            swiftSettings: settings),
        .testTarget(
            name: "StoresModelsTests", dependencies: ["StoresModels", "SwallowTesting", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "CurlEngineTests",
            dependencies: [
                .target(name: "CurlEngine", condition: .when(platforms: [.linux])), "SwallowLock",
                "TestSupport", "LoopbackServer",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SwallowTests",
            dependencies: [
                "Swallow", "SwallowResources",
                .target(name: "CurlEngine", condition: .when(platforms: [.linux])),
                "SwallowTesting", "LoopbackServer", "TestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SwallowResourcesTests",
            dependencies: ["SwallowResources", "SwallowTesting", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "SwallowWebSocketsTests",
            dependencies: [
                "SwallowWebSockets", "SwallowTesting", "LoopbackServer", "WebSocketServer", "TestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SwallowTestingTests",
            dependencies: ["SwallowResources", "SwallowTesting", "TestSupport", "LoopbackServer", "HARTool"],
            exclude: ["HAR/Tools"],
            swiftSettings: settings),
        .testTarget(
            name: "MainActorAppTests",
            dependencies: ["Swallow", "SwallowResources", "DecodePipeline", "SwallowTesting"],
            swiftSettings: settings + [.defaultIsolation(MainActor.self)]),
        .testTarget(
            name: "GuideSamples",
            dependencies: [
                "Swallow", "SwallowResources", "SwallowWebSockets", "SwallowJSON", "DecodePipeline",
                "SwallowTesting", "TestSupport",
            ],
            path: "Tests/Samples/Guide",
            exclude: ["Replays"],
            packageAccess: false,
            swiftSettings: settings),
        .testTarget(
            name: "ReferenceSamples",
            dependencies: [
                "Swallow", "SwallowResources", "DecodePipeline", "SwallowLock", "SwallowTesting",
                "TestSupport",
            ],
            path: "Tests/Samples/Reference",
            exclude: ["Replays"],
            packageAccess: false,
            swiftSettings: settings),
        .testTarget(
            name: "TutorialSamples",
            dependencies: ["Swallow", "SwallowTesting"],
            path: "Tests/Samples/Tutorial",
            packageAccess: false,
            swiftSettings: settings),
        .testTarget(name: "SampleRule", path: "Tests/Samples/Rule", swiftSettings: settings),
        .testTarget(
            name: "LoopbackServerTests", dependencies: ["LoopbackServer", "Swallow", "SwallowTesting"],
            swiftSettings: settings),
        .executableTarget(
            name: "CacheWriter", dependencies: ["Swallow"], path: "Tests/CacheWriter", swiftSettings: settings
        ),
        .executableTarget(
            name: "WebSocketProbe", dependencies: ["Swallow", "SwallowWebSockets"],
            path: "Tests/WebSocketProbe", swiftSettings: settings),
        .executableTarget(
            name: "TransportProbe", dependencies: ["Swallow"], path: "Tests/TransportProbe",
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
