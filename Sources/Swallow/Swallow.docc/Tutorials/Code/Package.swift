// swift-tools-version: 6.2
import PackageDescription

let swallow = Target.Dependency.product(name: "Swallow", package: "Swallow")
let testing = Target.Dependency.product(name: "SwallowTesting", package: "Swallow")

let package = Package(
    name: "App",
    platforms: [.macOS(.v14)],
    dependencies: [.package(name: "Swallow", path: "../Swallow")],  // or url: and the address of your clone
    targets: [
        .executableTarget(name: "App", dependencies: [swallow, testing]),
        .testTarget(name: "AppTests", dependencies: ["App", testing]),
    ])
