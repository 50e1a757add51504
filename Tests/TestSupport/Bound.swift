import Foundation

#if canImport(Testing)
    import Testing
#endif

/// The time limit for waits in tests. A test that waits longer fails instead of hanging.
package enum Bound {
    /// This is far longer than any wait takes on a busy machine.
    static let seconds = 600.0

    /// The source location of a wait.
    package struct Place: Sendable {
        let fileID: String
        let filePath: String
        let line: Int

        package init(_ fileID: String, _ filePath: String, _ line: Int) {
            (self.fileID, self.filePath, self.line) = (fileID, filePath, line)
        }
    }

    /// Fails the test because a wait has taken too long.
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

/// Waits until a condition is true on the main actor. Fails the test if it doesn't become true in time.
@MainActor
public func until(
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
