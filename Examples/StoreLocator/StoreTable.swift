import Foundation

/// A table of stores for the terminal.
struct StoreTable: CustomStringConvertible {
    let stores: [Store]

    var description: String {
        let header = ["ID", "STORE", "ADDRESS", "DISTANCE"]
        let rows = stores.map { store in
            [
                "\(store.id)", store.name, "\(store.street), \(store.city)",
                store.distance.map { "\($0.formatted(.number.precision(.fractionLength(1)))) km" } ?? "",
            ]
        }
        let widths = header.indices.map { column in
            ([header] + rows).map { $0[column].count }.max() ?? 0
        }
        return ([header] + rows).map { row in
            zip(row, widths).enumerated().map { column, cell in
                let padding = String(repeating: " ", count: cell.1 - cell.0.count)
                return column == header.count - 1 ? padding + cell.0 : cell.0 + padding
            }
            .joined(separator: "  ")
        }
        .joined(separator: "\n")
    }
}
