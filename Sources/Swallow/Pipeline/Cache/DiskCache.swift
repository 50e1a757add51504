import Dispatch
import Foundation

/// A cache that stores responses in the files of a folder. Head, bytes and timestamp survive the end of the process.
///
/// ```swift
/// let folder = caches.appending(path: "api.example.com")
/// let cache = DiskCache(folder: folder, sizeLimit: 50 << 20)
/// ```
///
/// - **Atomic writes.** An entry is complete or absent, even if the process is killed during a write. A checksum detects
///   damage. A damaged file is removed.
/// - **Eviction.** The least recently used files are removed first.
/// - **Privacy.** Only the owner can read the files. Nothing is encrypted, but a URL's user and password and `Set-Cookie`
///   fields aren't stored.
/// - **Sharing.** Several caches, even in several processes, may share a folder. A cache touches only files with the
///   extensions `swallow` and `swallow-temporary`.
/// - **Errors.** Errors of the file system aren't reported. A response that can't be read is absent.
///
/// The functions may be called from any thread, but they wait for the file system.
public final class DiskCache: EntityCache {
    private struct Account: Sendable {
        /// An upper bound, without the writes of other caches. `nil` until the folder has been read.
        var size: Int?
        var writtenSinceSweep = 0
    }

    /// The serial queue of this cache.
    public let workQueue = DispatchQueue(label: "Swallow.DiskCache", qos: .userInitiated)

    private let folder: DiskCacheFolder
    private let sizeLimit: Int
    private let storesAuthorized: Bool
    private let storesForbidden: Bool
    private let account = Lock(Account())

    var path: String { folder.path }

    /// Creates a cache over a folder. Responses that are already in the folder stay there. The folder is created with the
    /// first write.
    ///
    /// - Parameters:
    ///   - folder: A file URL. Use a separate folder that the system may empty.
    ///   - sizeLimit: The maximum size of the files in bytes, by default 100 MiB. A larger response isn't stored. Each
    ///     further cache on the same folder may exceed the limit by an eighth for a while.
    ///   - storesAuthorized: Whether to store responses to requests with an `Authorization` field. The default is
    ///     false.
    ///   - storesForbidden: Whether to store responses although `Cache-Control: no-store` in the response or request
    ///     forbids it (RFC 9111 §5.2). The default is false.
    public init(
        folder: URL, sizeLimit: Int = 100 << 20, storesAuthorized: Bool = false, storesForbidden: Bool = false
    ) {
        self.folder = DiskCacheFolder(path: folder.absoluteURL.path)
        self.sizeLimit = folder.isFileURL ? sizeLimit : 0
        self.storesAuthorized = storesAuthorized
        self.storesForbidden = storesForbidden
    }

    /// Returns the ``EntityCache/standardKey(for:)``. Returns `nil` for a request with an `Authorization` field or
    /// `Cache-Control: no-store`, unless the initializer allowed these.
    public func key(for request: URLRequest) -> String? {
        guard let key = StandardKey(request), storesAuthorized || !key.hasAuthorization,
            storesForbidden || !key.forbidsStoring
        else { return nil }
        return key.text
    }

    /// Returns the response last written for a key, without content. It becomes the most recently used one.
    public func read(_ key: String) -> CachedResponse? {
        let key = DiskCacheKey(key)
        let path = folder.path(of: folder.entryName(key))
        do {
            let file = try SystemFile.existing(path)
            guard file.isOwn else { return nil }
            // A first read may see a timestamp that is only partly rewritten. The second read sees the complete one.
            for _ in 0..<2 {
                // A cache with a larger limit may share the folder.
                guard let size = file.size, size <= sizeLimit, let bytes = file.prefix(size) else {
                    return nil
                }
                guard let response = DiskCacheEntry.response(in: bytes, digest: key.digest) else { continue }
                file.touch()
                return response
            }
            SystemFile.remove(path)
        } catch {
            if error.isLink { SystemFile.remove(path) }
        }
        return nil
    }

    /// Stores a response. If it is too large or must not be stored, the response with the same key is removed.
    public func write(_ response: CachedResponse, for key: String) {
        if !storesForbidden, response.forbidsStoring { return remove(key) }
        let place = DiskCacheKey(key)
        guard response.data.count < sizeLimit,
            let preamble = DiskCacheEntry.preamble(of: response, digest: place.digest),
            response.data.count <= sizeLimit - preamble.count
        else { return remove(key) }
        let name = folder.entryName(place)
        let temporary = folder.path(of: folder.temporaryName(place))
        do {
            let file = try newFile(temporary)
            // The lock is held until the file is closed. It shows a sweep that the writer is still running.
            _ = file.lock()
            try file.write(preamble, at: 0)
            try file.write(response.data, at: preamble.count)
            file.touch()
            try file.move(temporary, to: folder.path(of: name))
        } catch {
            return SystemFile.remove(temporary)
        }
        noteWritten(preamble.count + response.data.count, name)
    }

    /// Updates a response's timestamp.
    public func updateTimestamp(_ timestamp: Date, for key: String) {
        let key = DiskCacheKey(key)
        let path = folder.path(of: folder.entryName(key))
        guard let file = try? SystemFile.existing(path, forUpdating: true), file.size != nil, file.isOwn,
            let header = file.prefix(DiskCacheEntry.headerSize),
            let field = DiskCacheEntry.timestampField(timestamp, header: header, digest: key.digest)
        else { return }
        try? file.write(field, at: DiskCacheEntry.timestampOffset)
        file.touch()
    }

    /// Removes a response.
    public func remove(_ key: String) {
        SystemFile.remove(folder.path(of: folder.entryName(DiskCacheKey(key))))
    }

    /// Removes the responses with this key, or with this key as their first line.
    public func removeVariants(of key: String) {
        folder.removeVariants(of: DiskCacheKey(key))
    }

    /// Removes all responses. A response that is arriving now isn't stored.
    public func removeAll() {
        CacheEpochs.begin([identity])
        folder.removeAll()
    }

    /// Removes the responses to requests if a closure returns true for their URL. The function reads all heads.
    public func removeAll(where isIncluded: @Sendable (URL) -> Bool) {
        for path in folder.entryPaths {
            guard let file = try? SystemFile.existing(path), file.isOwn else { continue }
            if let url = DiskCacheEntry.requestURL(of: file), isIncluded(url) { SystemFile.remove(path) }
        }
    }

    private func newFile(_ path: String) throws(SystemFile.Failure) -> SystemFile {
        do {
            return try SystemFile.new(path)
        } catch {
            guard error.isAbsence else { throw error }
            folder.create()
            return try SystemFile.new(path)
        }
    }

    private func noteWritten(_ size: Int, _ name: String) {
        let needsSweep = account.withLock { account in
            account.size? += size
            account.writtenSinceSweep += size
            // Other caches may write to the folder too, so the size is checked at least after each eighth of the limit.
            return account.writtenSinceSweep > sizeLimit / 8 || account.size.map { $0 > sizeLimit } ?? true
        }
        guard needsSweep else { return }
        account.withLock { $0.writtenSinceSweep = 0 }
        let size = folder.sweep(limit: sizeLimit, keeping: name)
        account.withLock { $0.size = size }
    }
}
