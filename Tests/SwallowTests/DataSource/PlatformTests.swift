import Foundation
import Testing

@Suite("Platforms that are not built here")
struct PlatformTests {
    @Test(
        "What needs libcurl is compiled for Linux with Glibc only: the static SDK has Musl, and nothing to load"
    )
    func curl() throws {
        for folder in ["Sources", "Tests", "Examples"] {
            for (name, text) in Self.sources(in: folder) {
                let conditions = text.split(separator: "\n").filter { $0.hasPrefix("#if os(" + "Linux)") }
                #expect(conditions.allSatisfy { $0.contains("canImport(Glibc)") }, "\(name)")
            }
        }
    }

    @Test(
        "The privacy manifest says what the sources look at of what Apple's stores ask for, and that nothing is collected"
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
            // It has no manifest.
            #expect(
                !Self.sources(in: "Sources/SwallowJSON").contains { $0.text.contains(expression) },
                "\(category)")
        }
    }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../..").standardized

    /// The names and texts of a folder's Swift files.
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
