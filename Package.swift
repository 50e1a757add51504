// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
    name: "Swallow",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "Swallow", targets: ["Swallow"]),
    ],
    targets: [
        .target(name: "Swallow", swiftSettings: settings),
        .target(name: "LoopbackServer", dependencies: ["Swallow"], path: "Tests/LoopbackServer", swiftSettings: settings),
        .executableTarget(
            name: "StoreLocator",
            dependencies: ["Swallow", "LoopbackServer"],
            path: "Examples/StoreLocator",
            swiftSettings: settings),
        .testTarget(
            name: "SwallowTests",
            dependencies: ["Swallow", "LoopbackServer"],
            swiftSettings: settings),
        .testTarget(name: "LoopbackServerTests", dependencies: ["LoopbackServer"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
