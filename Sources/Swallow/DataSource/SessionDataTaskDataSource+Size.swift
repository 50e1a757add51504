/// A data source that says how many bytes of a response's body are kept in memory; one that wraps another says what that
/// says.
package protocol SizedDataSource: SessionDataTaskDataSource {
    var maximumBodySize: Int { get }
}

extension SessionDataTaskDataSource {
    /// How many bytes of a response's body are kept in memory.
    package var maximumBodySize: Int {
        (self as? any SizedDataSource)?.maximumBodySize ?? ResponseSize.standardLimit
    }
}
