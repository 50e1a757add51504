import Foundation

/// The arguments of the command line.
struct Arguments {
    struct Usage: Error, CustomStringConvertible {
        let description = "usage: Fetch [URL…] [-o FOLDER] | Fetch -T FILE URL"
    }

    /// The files to download. If the list is empty, the program downloads the files of its own server.
    var urls: [URL] = []
    var folder = URL(filePath: ".")
    /// The file to upload instead.
    var upload: URL?

    init(_ arguments: some Sequence<String>) throws(Usage) {
        var rest = arguments.makeIterator()
        while let argument = rest.next() {
            switch argument {
            case "-o":
                guard let value = rest.next() else { throw Usage() }
                folder = URL(filePath: value)
            case "-T":
                guard let value = rest.next(), upload == nil else { throw Usage() }
                upload = URL(filePath: value)
            default:
                guard !argument.hasPrefix("-"), let url = URL(string: argument), url.scheme != nil else {
                    throw Usage()
                }
                urls.append(url)
            }
        }
        if upload != nil, urls.count != 1 { throw Usage() }
    }
}
