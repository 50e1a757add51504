/// The arguments of the command line.
struct Arguments {
    struct Usage: Error, CustomStringConvertible {
        let description = """
            usage: GitHubBrowser user NAME | repo OWNER/NAME | search WORDS [--pages N] \
            [--token TOKEN | --user NAME:PASSWORD] [--url URL]
            """
    }

    enum Command {
        case user(String)
        case repository(owner: String, name: String)
        case search(String)
    }

    let command: Command
    /// The maximum number of result pages to load.
    var pages = 10
    var credentials: Credentials?
    var url: String?

    init(_ arguments: some Sequence<String>) throws(Usage) {
        var words: [String] = []
        var rest = arguments.makeIterator()
        while let argument = rest.next() {
            switch argument {
            case "--pages":
                guard let number = rest.next().flatMap({ Int($0) }), number > 0 else { throw Usage() }
                pages = number
            case "--token":
                guard let token = rest.next(), !token.isEmpty else { throw Usage() }
                credentials = .token(token)
            case "--user":
                guard let parts = rest.next()?.split(separator: ":", maxSplits: 1), parts.count == 2 else {
                    throw Usage()
                }
                credentials = .basic(user: String(parts[0]), password: String(parts[1]))
            case "--url":
                guard let value = rest.next() else { throw Usage() }
                url = value
            default:
                guard !argument.hasPrefix("-") else { throw Usage() }
                words.append(argument)
            }
        }
        command = try Self.command(words)
    }

    private static func command(_ words: [String]) throws(Usage) -> Command {
        switch (words.first, words.count) {
        case ("user", 2): return .user(words[1])
        case ("repo", 2):
            let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { throw Usage() }
            return .repository(owner: String(parts[0]), name: String(parts[1]))
        case ("search", 2...): return .search(words.dropFirst().joined(separator: " "))
        default: throw Usage()
        }
    }
}
