/// The arguments of the command line.
struct Arguments {
    struct Usage: Error, CustomStringConvertible {
        let description = "usage: StoreLocator ZIP [--favorite ID] [--url URL | --offline-demo]"
    }

    let zipCode: String
    var favoriteID: Int?
    var url: String?
    var showsOfflineCache = false

    init(_ arguments: some Sequence<String>) throws(Usage) {
        var zipCode: String?
        var rest = arguments.makeIterator()
        while let argument = rest.next() {
            switch argument {
            case "--url":
                guard let value = rest.next() else { throw Usage() }
                url = value
            case "--favorite":
                guard let value = rest.next(), let id = Int(value) else { throw Usage() }
                favoriteID = id
            case "--offline-demo":
                showsOfflineCache = true
            default:
                guard zipCode == nil, !argument.hasPrefix("-") else { throw Usage() }
                zipCode = argument
            }
        }
        // The demo stops the server, so it must be the program's own server.
        guard let zipCode, url == nil || !showsOfflineCache else { throw Usage() }
        self.zipCode = zipCode
    }
}
