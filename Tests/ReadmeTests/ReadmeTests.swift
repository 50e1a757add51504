import Foundation
import Testing

@Suite("The README")
struct ReadmeTests {
    @Test(
        "Every Swift sample stands in a test that runs it, but for the whole program, which CI runs",
        arguments: [
            ("README.md", 10), ("Sources/Swallow/Swallow.docc/Resources.md", 6),
            ("Sources/Swallow/Swallow.docc/Streaming.md", 5),
            ("Sources/Swallow/Swallow.docc/Downloads.md", 2),
            ("Sources/Swallow/Swallow.docc/Uploads.md", 3),
            ("Sources/Swallow/Swallow.docc/Testing.md", 6),
            ("Sources/Swallow/Swallow.docc/RetriesAndAuthentication.md", 8),
            ("Sources/Swallow/Swallow.docc/RecordAndReplay.md", 4),
        ])
    func samples(document: String, count: Int) throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let readme = folder.appending(path: "../../\(document)").standardized
        let tests = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "swift" }
            .map { try lines(String(contentsOf: $0, encoding: .utf8)) }
        let samples = try String(contentsOf: readme, encoding: .utf8)
            .components(separatedBy: "```swift\n").dropFirst()
            .compactMap { $0.components(separatedBy: "\n```").first.map(lines) }
        #expect(samples.count >= count)
        for sample in samples where !sample.starts(with: program) {
            #expect(
                tests.contains { $0.contains(sample) },
                "No test has this sample:\n\(sample.joined(separator: "\n"))")
        }
    }

    /// How the README's `main.swift` begins.
    private let program = [
        "import Swallow", #"let service = WebService(baseURLString: "https://api.example.com")"#,
    ]

    /// The lines without indentation and empty lines.
    private func lines(_ text: String) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }
}
