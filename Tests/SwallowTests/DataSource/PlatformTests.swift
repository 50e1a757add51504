import Foundation
import Testing

@Suite("Platforms that aren't built here")
struct PlatformTests {
    @Test("Code that needs libcurl is compiled only for Linux with Glibc")
    func curl() throws {
        for folder in ["Sources", "Tests", "Examples"] {
            for (name, text) in Self.sources(in: folder) {
                let conditions = text.split(separator: "\n").filter { $0.hasPrefix("#if os(" + "Linux)") }
                #expect(conditions.allSatisfy { $0.contains("canImport(Glibc)") }, "\(name)")
            }
        }
    }

    @Test(
        "The privacy manifest declares the required-reason APIs that the sources use, and no data collection"
    )
    func privacy() throws {
        let file = Self.root.appending(path: "Sources/Swallow/PrivacyInfo.xcprivacy")
        let list = try PropertyListSerialization.propertyList(from: Data(contentsOf: file), format: nil)
        let manifest = try #require(list as? [String: Any])
        #expect(manifest["NSPrivacyTracking"] as? Bool == false)
        #expect((manifest["NSPrivacyTrackingDomains"] as? [Any])?.isEmpty == true)
        #expect((manifest["NSPrivacyCollectedDataTypes"] as? [Any])?.isEmpty == true)
        let types = try #require(manifest["NSPrivacyAccessedAPITypes"] as? [[String: Any]])
        let declared = Set(types.compactMap { $0["NSPrivacyAccessedAPIType"] as? String })
        #expect(types.allSatisfy { ($0["NSPrivacyAccessedAPITypeReasons"] as? [String])?.isEmpty == false })

        let calls = [
            "FileTimestamp": #"\b[fl]?stat\(|attributesOfItem|contentModificationDate|getattrlist"#,
            "SystemBootTime": #"\bsystemUptime\b|\bmach_absolute_time\("#,
            "DiskSpace": #"volumeAvailableCapacity|systemFreeSize|\bf?statv?fs\("#,
            "UserDefaults": #"\bUserDefaults\b"#, "ActiveKeyboards": #"activeInputModes"#,
        ]
        let sources = Self.sources(in: "Sources/Swallow").map(\.text)
        for (category, pattern) in calls {
            let expression = try Regex(pattern)
            let isUsed = sources.contains { $0.contains(expression) }
            #expect(declared.contains("NSPrivacyAccessedAPICategory" + category) == isUsed, "\(category)")
            // SwallowJSON has no privacy manifest.
            #expect(
                !Self.sources(in: "Sources/SwallowJSON").contains { $0.text.contains(expression) },
                "\(category)")
        }
    }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../..").standardized

    private static func sources(in folder: String) -> [(name: String, text: String)] {
        let files = FileManager.default.enumerator(
            at: root.appending(path: folder), includingPropertiesForKeys: nil)
        var sources: [(String, String)] = []
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift", let text = try? String(contentsOf: file, encoding: .utf8)
            else { continue }
            sources.append((file.lastPathComponent, text))
        }
        return sources
    }
}
