import SwallowTesting

@testable import HARTool

extension HAR {
    /// The violations of HAR 1.2 that `HARTool verify` reports.
    var problems: [String] {
        get throws { try Recording(self).problems }
    }

    /// The name of the program that wrote the recording.
    var creator: String? { json["log"]["creator"]["name"].string }
}
