import Dispatch
import Foundation

/// A cache that stores the heads and bodies of responses in a folder's files, so that later launches can read them.
///
/// ```swift
/// let folder = caches.appending(path: "api.example.com")
/// let cache = DiskCache(folder: folder, sizeLimit: 50 << 20)
/// ```
///
/// - **Atomic writes.** An entry is complete or absent, even if the process is killed. Checksums detect damaged files.
/// - **Eviction.** Above the size limit, the least recently used files are removed first.
/// - **Privacy.** Only the owner can read the files. They aren't encrypted. They omit `Set-Cookie` and URL passwords.
/// - **Sharing.** Several caches and processes may share a folder. A cache doesn't change other files in the folder.
/// - **Errors.** The cache doesn't report errors. A response that can't be read counts as missing.
///
/// Any thread may call the functions. They block while they access files.
public final class DiskCache: EntityCache {
    private struct Account: Sendable {
        /// The estimated size of the entries in bytes. `nil` before the first sweep.
        var size: Int?
        var writtenSinceSweep = 0
    }

    /// The serial queue on which the pipeline reads and writes the files.
    public let workQueue = DispatchQueue(label: "Swallow.DiskCache", qos: .userInitiated)

    private let folder: DiskCacheFolder
    private let sizeLimit: Int
    private let storesAuthorized: Bool
    private let storesForbidden: Bool
    private let account = Lock(Account())
    private let latestDigest = StandardKey.LatestDigest()

    var path: String { folder.path }

    /// Creates a cache that uses a folder and the responses in it. The first write creates the folder.
    ///
    /// - Parameters:
    ///   - folder: A file URL. Use a separate folder that the system may empty. With other URLs, nothing is stored.
    ///   - sizeLimit: The maximum size of the files in bytes, by default 100 MiB. A larger response isn't stored. The
    ///     size may exceed the limit for a while, for example if several caches use the folder.
    ///   - storesAuthorized: Whether to store responses to requests with `Authorization`, or with an authenticator that
    ///     has an ``Authenticator/identity``. The default is false.
    ///   - storesForbidden: Whether to ignore `no-store` in requests and responses (RFC 9111 §5.2), by default false.
    public init(
        folder: URL, sizeLimit: Int = 100 << 20, storesAuthorized: Bool = false, storesForbidden: Bool = false
    ) {
        self.folder = DiskCacheFolder(path: folder.absoluteURL.path)
        self.sizeLimit = folder.isFileURL ? sizeLimit : 0
        self.storesAuthorized = storesAuthorized
        self.storesForbidden = storesForbidden
    }

    /// Returns ``EntityCache/standardKey(for:)``. `nil` for a request with `Authorization` or `Cache-Control:
    /// no-store`, unless the initializer's arguments allow it.
    public func key(for request: URLRequest) -> String? {
        guard let key = StandardKey(request), storesAuthorized || !key.hasAuthorization,
            storesForbidden || !key.forbidsStoring
        else { return nil }
        return key.text(reusing: latestDigest)
    }

    /// Returns a key's response, without ``CachedResponse/content``, or `nil`. It becomes the most recently used one.
    public func read(_ key: String) -> CachedResponse? {
        let key = DiskCacheKey(key)
        let path = folder.path(of: folder.entryName(key))
        do {
            let file = try SystemFile.existing(path)
            guard file.isOwn else { return nil }
            // A read may fail while another cache rewrites the timestamp. Then a second read usually succeeds.
            for _ in 0..<2 {
                // Another cache with a larger limit may have written this file.
                guard let size = file.size, size <= sizeLimit else { return nil }
                guard let response = try DiskCacheEntry.response(in: file, size: size, digest: key.digest)
                else { continue }
                file.touch()
                return response
            }
            SystemFile.remove(path)
        } catch {
            if error.isLink { SystemFile.remove(path) }
        }
        return nil
    }

    /// Stores a response. If it is too large or must not be stored, removes the earlier response with this key.
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
            // The lock, which lasts until the file is closed, keeps other caches from removing the incomplete file.
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

    /// Sets the timestamp of the response with this key, if there is one.
    public func updateTimestamp(_ timestamp: Date, for key: String) {
        let key = DiskCacheKey(key)
        let path = folder.path(of: folder.entryName(key))
        guard let file = try? SystemFile.existing(path, forUpdating: true), file.size != nil, file.isOwn,
            let header = try? file.bytes(DiskCacheEntry.headerSize),
            let field = DiskCacheEntry.timestampField(timestamp, header: header, digest: key.digest)
        else { return }
        try? file.write(field, at: DiskCacheEntry.timestampOffset)
        file.touch()
    }

    /// Removes the file of the response with this key, if there is one.
    public func remove(_ key: String) {
        SystemFile.remove(folder.path(of: folder.entryName(DiskCacheKey(key))))
    }

    /// Removes the responses whose key has the same first line as this key.
    public func removeVariants(of key: String) {
        folder.removeVariants(of: DiskCacheKey(key))
    }

    /// Removes all responses. The cache doesn't store the responses to requests that are already running.
    public func removeAll() {
        CacheEpochs.begin([identity])
        folder.removeAll()
    }

    /// Removes each response if a closure returns true for the URL of its request. Reads the heads of all responses.
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
            // Other caches may write to the folder too. So this cache measures it after writing an eighth of the limit.
            return account.writtenSinceSweep > sizeLimit / 8 || account.size.map { $0 > sizeLimit } ?? true
        }
        guard needsSweep else { return }
        account.withLock { $0.writtenSinceSweep = 0 }
        let size = folder.sweep(limit: sizeLimit, keeping: name)
        account.withLock { $0.size = size }
    }
}
