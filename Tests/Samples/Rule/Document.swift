import Foundation

/// A text with samples: the README, an article, a step of a tutorial, or the comments of a source file.
struct Document: Sendable, CustomStringConvertible {
    /// Code between two fences.
    struct Block: Sendable {
        /// What the fence says the code is: `swift`, `sh`, `text`; empty where it says nothing.
        let language: String
        /// The lines in between, trimmed.
        let lines: [String]
        /// Where it begins in the document, counted from 1.
        let line: Int
    }

    /// Its path in the package.
    let path: String
    let blocks: [Block]
    /// The code in the last cell of each row of its tables, with the line it stands in.
    let lastCells: [(code: String, line: Int)]

    var description: String { path }

    /// Reads a document; `text` is Markdown, or Swift, whose comments for the documentation are read.
    init(path: String, text: String) {
        self.path = path
        var lines = text.components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        if path.contains(".docc/"), path.hasSuffix(".swift") {
            // A step of a tutorial is code as a whole; the samples are in the module of their tests.
            let code = lines.filter { $0 != "@testable import App" }
            blocks = [Block(language: "swift", lines: code, line: 1)]
            lastCells = []
            return
        }
        if path.hasSuffix(".swift") {
            lines = lines.map { line in
                line.hasPrefix("///") ? String(line.dropFirst(3)).trimmingCharacters(in: .whitespaces) : ""
            }
        }
        var blocks: [Block] = []
        var cells: [(String, Int)] = []
        var open: (language: String, first: Int)?
        for (index, line) in lines.enumerated() {
            if line.hasPrefix("```") {
                if let (language, first) = open {
                    blocks.append(Block(language: language, lines: Array(lines[first..<index]), line: first))
                    open = nil
                } else {
                    open = (String(line.dropFirst(3)), index + 1)
                }
            } else if open == nil, line.hasPrefix("|"), line.hasSuffix("|") {
                let row = line.replacing("\\|", with: "\u{0}").dropLast()
                let cell = row[(row.lastIndex(of: "|") ?? row.startIndex)...]
                for code in cell.matches(of: /`([^`]+)`/) {
                    cells.append((String(code.1).replacing("\u{0}", with: "|"), index + 1))
                }
            }
        }
        self.blocks = blocks
        lastCells = cells
    }
}

extension Document.Block {
    /// What stands between blank lines.
    var pieces: [[String]] {
        lines.split(separator: "").map(Array.init)
    }

    /// The first piece that doesn't stand, contiguous and after those before it, in a file's lines; nil where all do.
    func missingPiece(in file: [String]) -> [String]? {
        var rest = file[...]
        for piece in pieces {
            guard let found = rest.firstRange(of: piece) else { return piece }
            rest = rest[found.upperBound...]
        }
        return nil
    }

    /// What to tell somebody whose sample isn't in any of the files: the piece that is missing in the file that has
    /// most of the others.
    func complaint(in files: [[String]]) -> String? {
        var nearest: (count: Int, piece: [String])?
        for file in files {
            guard let piece = missingPiece(in: file) else { return nil }
            let count = pieces.firstIndex(of: piece) ?? 0
            if count >= nearest?.count ?? 0 { nearest = (count, piece) }
        }
        return nearest.map { $0.piece.joined(separator: "\n") } ?? ""
    }
}
