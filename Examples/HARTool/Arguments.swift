import Foundation

/// What the command line says.
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
    /// Header fields, query items and JSON members that are secret, too.
    var names: [String] = []
    /// What is secret in JSON bodies.
    var paths: [String] = []

    /// The file as it is called.
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
