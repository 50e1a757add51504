import Foundation

/// A document with samples: the README, an article, a step of the tutorial, or the comments of a source file.
struct Document: Sendable, CustomStringConvertible {
    struct Block: Sendable {
        /// The language that the fence names, for example `swift`, or an empty text.
        let language: String
        let lines: [String]
        /// The line where the code begins, counted from 1.
        let line: Int
    }

    /// The path in the package.
    let path: String
    let blocks: [Block]
    /// The code in the last cell of each table row, with its line.
    let lastCells: [(code: String, line: Int)]

    var description: String { path }

    /// Reads a document. `text` is Markdown, or Swift code, whose doc comments are read.
    init(path: String, text: String) {
        self.path = path
        var lines = text.components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        if path.contains(".docc/"), path.hasSuffix(".swift") {
            // A step of the tutorial consists of code only. The samples don't import the app, because they are in the
            // test module.
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
    /// The groups of lines between blank lines.
    var pieces: [[String]] {
        lines.split(separator: "").map(Array.init)
    }

    /// Returns the first piece that is missing in a file, or `nil` if the file has all pieces. The lines of a piece
    /// must be contiguous, and the pieces must be in order.
    func missingPiece(in file: [String]) -> [String]? {
        var rest = file[...]
        for piece in pieces {
            guard let found = rest.firstRange(of: piece) else { return piece }
            rest = rest[found.upperBound...]
        }
        return nil
    }

    /// Returns `nil` if a file has the sample. Otherwise, returns the first missing piece of the file that has the most
    /// pieces.
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
