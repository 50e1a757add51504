/// Tells the pipelines apart that made the content of cached responses: each has one, and compares by
/// identity.
package final class ContentOrigin: Sendable {
    package init() {}
}
