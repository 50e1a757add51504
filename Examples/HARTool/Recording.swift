import Foundation
import Swallow
import SwallowTesting

/// A recording, and the members of its JSON that ``HAR`` doesn't show.
struct Recording {
    let har: HAR
    /// The object `log` of the document.
    let log: JSON

    init(_ har: HAR) throws {
        self.har = har
        log = try JSON(parsing: har.data)["log"]
    }

    /// The version of the format.
    var version: String { log["version"].string ?? "1.1" }

    /// The name of the program that wrote the recording. Empty if it isn't stated.
    var creator: String { log["creator"]["name"].string ?? "" }

    /// The exchanges, each with its JSON.
    var exchanges: [Exchange] { zip(har.entries, log["entries"].elements).map(Exchange.init) }

    /// An exchange, and its JSON.
    struct Exchange {
        let entry: HAR.Entry
        let json: JSON

        /// The size of the response's body in bytes, or 0 if it isn't stated.
        var size: Int { max(0, json["response"]["content"]["size"].int ?? 0) }

        /// Returns the duration of a phase in milliseconds, or 0 if the phase didn't happen or isn't known.
        func duration(of phase: String) -> Double {
            json["timings"][phase].double.flatMap { $0.isFinite ? max(0, $0) : nil } ?? 0
        }
    }
}
