import Foundation

#if canImport(Testing)
    import Testing
#endif

/// How long a test may wait for what never comes: then it fails, in place of hanging.
package enum Bound {
    /// Far more than anything takes on a busy machine.
    static let seconds = 600.0

    /// Where a test waits.
    package struct Place: Sendable {
        let fileID: String
        let filePath: String
        let line: Int

        package init(_ fileID: String, _ filePath: String, _ line: Int) {
            (self.fileID, self.filePath, self.line) = (fileID, filePath, line)
        }
    }

    /// Fails the test that waited.
    package static func fail(_ reason: String, at place: Place) {
        let reason = "\(reason) within \(Int(seconds)) seconds"
        #if canImport(Testing)
            Issue.record(
                "\(reason)",
                sourceLocation: SourceLocation(
                    fileID: place.fileID, filePath: place.filePath, line: place.line, column: 1))
        #else
            fatalError("\(place.fileID):\(place.line): \(reason)")
        #endif
    }
}

/// Waits until something is so on the main actor, and fails the test where it never is.
@MainActor
package func until(
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    _ condition: @MainActor () -> Bool
) async {
    let start = DispatchTime.now().uptimeNanoseconds
    while !condition() {
        if Double(DispatchTime.now().uptimeNanoseconds - start) > Bound.seconds * 1e9 {
            return Bound.fail("it never came to that", at: Bound.Place(fileID, filePath, line))
        }
        await Task.yield()
    }
}
