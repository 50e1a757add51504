/// What the command line says.
struct Arguments {
    struct Usage: Error, CustomStringConvertible {
        let description = "usage: StoreLocator ZIP [--favorite ID] [--url URL]"
    }

    let zipCode: String
    var favoriteID: Int?
    var url: String?

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
            default:
                guard zipCode == nil, !argument.hasPrefix("-") else { throw Usage() }
                zipCode = argument
            }
        }
        guard let zipCode else { throw Usage() }
        self.zipCode = zipCode
    }
}
