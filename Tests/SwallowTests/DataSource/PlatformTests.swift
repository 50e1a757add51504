import Foundation
import Testing

@Suite("Platforms that are not built here")
struct PlatformTests {
    @Test(
        "What needs libcurl is compiled for Linux with Glibc only: the static SDK has Musl, and nothing to load"
    )
    func curl() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
            .standardized
        for folder in ["Sources", "Tests", "Examples"] {
            let files = FileManager.default.enumerator(
                at: root.appending(path: folder), includingPropertiesForKeys: nil)
            while let file = files?.nextObject() as? URL {
                guard file.pathExtension == "swift", let text = try? String(contentsOf: file, encoding: .utf8)
                else { continue }
                let conditions = text.split(separator: "\n").filter { $0.hasPrefix("#if os(" + "Linux)") }
                #expect(
                    conditions.allSatisfy { $0.contains("canImport(Glibc)") }, "\(file.lastPathComponent)")
            }
        }
    }
}
