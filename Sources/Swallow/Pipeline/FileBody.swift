import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A body in a file, and its bytes once they have been read.
struct FileBody: Sendable {
    let head: HTTPURLResponse
    /// The entity whose content is the file's URL.
    let entity: Entity<any Sendable>
    let url: URL
    private(set) var bytes: Result<Data, ServiceError>?

    init(head: HTTPURLResponse, entity: Entity<any Sendable>, url: URL) {
        self.head = head
        self.entity = entity
        self.url = url
    }

    /// Reads the bytes from the file; blocks meanwhile.
    func read(limit: Int = ResponseSize.standardLimit) -> FileBody {
        var body = self
        do throws(ServiceError) {
            body.bytes = .success(try contents(limit: limit))
        } catch {
            body.bytes = .failure(error)
        }
        return body
    }

    /// The bytes, read now if they weren't before.
    ///
    /// - Throws: `.transport` where the file is gone, or larger than what is kept in memory.
    func data() throws(ServiceError) -> Data {
        if let bytes { return try bytes.get() }
        return try contents(limit: ResponseSize.standardLimit)
    }

    private func contents(limit: Int) throws(ServiceError) -> Data {
        let data: Data
        do {
            // One byte more tells a file that is too large, also one that grows.
            data = try Self.prefix(limit + 1, of: url)
        } catch {
            throw ServiceError(
                .transport(URLError(.cannotOpenFile)), detail: "\(url.path) can't be read", response: head,
                underlying: error)
        }
        if data.count <= limit { return data }
        let error = ResponseSize.error(over: limit, url: head.url)
        throw ServiceError(.transport(error), response: head, underlying: error)
    }

    private static func prefix(_ count: Int, of url: URL) throws -> Data {
        let file = try FileHandle(forReadingFrom: url)
        defer { try? file.close() }
        return try file.read(upToCount: count) ?? Data()
    }
}
