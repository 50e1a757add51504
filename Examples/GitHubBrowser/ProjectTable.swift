/// A table of projects for the terminal.
struct ProjectTable: CustomStringConvertible {
    let projects: [Project]

    var description: String {
        let stars = projects.map { "\($0.stars)" }
        let starWidth = stars.map(\.count).max() ?? 0
        let nameWidth = projects.map(\.fullName.count).max() ?? 0
        let languageWidth = projects.map { ($0.language ?? "").count }.max() ?? 0
        return zip(projects, stars).map { project, stars in
            let cells = [
                "★ \(Self.padding(starWidth - stars.count))\(stars)",
                project.fullName + Self.padding(nameWidth - project.fullName.count),
                (project.language ?? "") + Self.padding(languageWidth - (project.language ?? "").count),
                project.description ?? "",
            ]
            return cells.joined(separator: "  ").trimmingSuffix(while: \.isWhitespace)
        }
        .joined(separator: "\n")
    }

    private static func padding(_ count: Int) -> String {
        String(repeating: " ", count: max(0, count))
    }
}

extension String {
    fileprivate func trimmingSuffix(while isTrimmed: (Character) -> Bool) -> String {
        var text = self
        while let last = text.last, isTrimmed(last) { text.removeLast() }
        return text
    }
}
