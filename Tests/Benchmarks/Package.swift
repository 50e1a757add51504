// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

func product(_ name: String) -> Target.Dependency { .product(name: name, package: "Swallow") }

// A separate package, so that `swift test` doesn't build programs that no test runs.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Swallow", path: "../..")],
    targets: [
        .target(name: "AllocationCounter", path: "AllocationCounter"),
        .target(name: "Support", path: "Support", swiftSettings: settings),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                product("Swallow"), product("SwallowResources"), product("DecodePipeline"),
                product("SwallowTesting"), "AllocationCounter", "Support",
            ],
            path: "Benchmarks",
            swiftSettings: settings),
        .executableTarget(
            name: "DownloadProbe", dependencies: [product("Swallow"), product("SwallowTesting"), "Support"],
            path: "DownloadProbe",
            swiftSettings: settings),
        .executableTarget(
            name: "TimelineDemo", dependencies: [product("Swallow"), product("SwallowTesting")],
            path: "TimelineDemo",
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
