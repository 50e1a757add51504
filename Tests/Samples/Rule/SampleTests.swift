import Foundation
import Testing

/// Checks that each Swift sample is compiled and run. A sample is split into pieces at blank lines. One file of
/// `Tests/Samples` must have all pieces in order, inside a test or in code that a test calls.
@Suite("The samples")
struct SampleTests {
    @Test(
        "of the README, the guide, the tutorial and the sources' comments stand in a test",
        arguments: documents)
    func areTested(document: Document) {
        for block in document.blocks where block.language == "swift" && !isProgram(block) {
            if let piece = block.complaint(in: Self.samples) {
                Issue.record(
                    """
                    \(document.path):\(block.line): no file of Tests/Samples has this sample. What is missing first:
                    \(piece)
                    """)
            }
        }
    }

    @Test("have a fence that says what they are", arguments: documents)
    func haveALanguage(document: Document) {
        for block in document.blocks where block.language.isEmpty {
            Issue.record("\(document.path):\(block.line): say what this is: ```swift, ```sh, ```text …")
        }
    }

    @Test(
        "of an article for those who come from elsewhere: what you write now is a part of a line in a test",
        arguments: documents.filter { $0.path.contains("/ComingFrom") })
    func whatYouWrite(document: Document) {
        #expect(document.lastCells.count > 4)
        for (code, line) in document.lastCells where !isWhole(code) {
            Issue.record("\(document.path):\(line): a closure is cut in the middle: \(code)")
        }
        for (code, line) in document.lastCells
        where !Self.samples.contains(where: { $0.contains { $0.contains(code) } }) {
            Issue.record("\(document.path):\(line): no line of Tests/Samples has this: \(code)")
        }
    }

    @Test("of the README leave it short")
    func readmeIsShort() throws {
        let readme = try String(contentsOf: Self.package.appending(path: "README.md"), encoding: .utf8)
        #expect(readme.split(separator: "\n", omittingEmptySubsequences: false).count - 1 <= 130)
    }

    @Test("of the README come with links that lead to files")
    func links() throws {
        let readme = Self.text(of: "README.md")
        let links = readme.matches(of: /\]\(([^)#:]+)(#[^)]*)?\)/).map { String($0.1) }
        #expect(links.count > 10)
        for link in links
        where !FileManager.default.fileExists(atPath: Self.package.appending(path: link).path) {
            Issue.record("README.md links to \(link), which isn't there")
        }
    }

    @Test("are looked for as the rule says")
    func rule() {
        let text = """
            ```swift
            let a = 1
                b()

            c()
            ```
            | wrote | write |
            |---|---|
            | `x` | `a \\| b`, `c` |
            """
        let document = Document(path: "x.md", text: text)
        let block = document.blocks[0]
        #expect(block.complaint(in: [["let a = 1", "b()", "c()"]]) == nil)
        #expect(block.complaint(in: [["let a = 1", "b()", "between", "c()"]]) == nil)
        #expect(block.complaint(in: [["let a = 1", "between", "b()", "c()"]]) == "let a = 1\nb()")
        #expect(block.complaint(in: [["c()", "let a = 1", "b()"], ["c()"]]) == "c()")
        #expect(document.lastCells.map(\.code) == ["a | b", "c"])
        let comment = Document(path: "x.swift", text: "    /// ```swift\n    /// a()\n    /// ```\nb()")
        #expect(comment.blocks.map(\.lines) == [["a()"]])
    }

    /// Whether all brackets are closed.
    private func isWhole(_ code: String) -> Bool {
        ["{}", "()", "[]"].allSatisfy { pair in
            code.filter { $0 == pair.first }.count == code.filter { $0 == pair.last }.count
        }
    }

    /// Whether the block is the README's first program or the tutorial's manifest. CI runs each as a separate package.
    private func isProgram(_ block: Document.Block) -> Bool {
        if block.lines.first?.hasPrefix("// swift-tools-version") == true { return true }
        return block.lines.starts(with: [
            "import Foundation", "import Swallow", "", "struct Store: Codable, Equatable, Sendable {",
        ])
    }

    private static let package = URL(filePath: #filePath).appending(path: "../../../..").standardized

    private static let documents: [Document] = {
        let sources = files(in: "Sources", extensions: ["md", "swift", "tutorial"])
        return ([("README.md", text(of: "README.md"))] + sources)
            .map { Document(path: $0.0, text: $0.1) }
            .filter { !$0.blocks.isEmpty || !$0.lastCells.isEmpty }
    }()

    /// The lines of each file in `Tests/Samples`, trimmed and without blank lines.
    private static let samples: [[String]] = files(in: "Tests/Samples", extensions: ["swift"])
        .filter { !$0.path.contains("/Rule/") }
        .map { file in
            file.text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
                .filter { !$0.isEmpty }
        }

    private static func text(of path: String) -> String {
        (try? String(contentsOf: package.appending(path: path), encoding: .utf8)) ?? ""
    }

    private static func files(in folder: String, extensions: [String]) -> [(path: String, text: String)] {
        let paths = FileManager.default.enumerator(atPath: package.appending(path: folder).path)
        return (paths?.compactMap { $0 as? String } ?? []).sorted()
            .filter { extensions.contains(URL(filePath: $0).pathExtension) }
            .map { ("\(folder)/\($0)", text(of: "\(folder)/\($0)")) }
    }
}
