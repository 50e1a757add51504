import Foundation

/// The arguments of the command line.
struct Arguments {
    struct Usage: Error, CustomStringConvertible {
        let description =
            "usage: HARTool inspect FILE | verify FILE | redact FILE [--name NAME]… [--path JSONPATH]… | record FILE"
    }

    enum Command: String {
        case inspect, verify, redact, record
    }

    let command: Command
    let file: URL
    /// The names of further secret header fields, query items and JSON members.
    var names: [String] = []
    /// The JSON paths of further secrets in bodies.
    var paths: [String] = []

    var name: String { file.lastPathComponent }

    init(_ arguments: some Sequence<String>) throws(Usage) {
        var rest = arguments.makeIterator()
        guard let command = rest.next().flatMap({ Command(rawValue: $0) }), let path = rest.next() else {
            throw Usage()
        }
        self.command = command
        file = URL(filePath: path)
        while let option = rest.next() {
            guard command == .redact, let value = rest.next() else { throw Usage() }
            switch option {
            case "--name": names.append(value)
            case "--path": paths.append(value)
            default: throw Usage()
            }
        }
    }
}
