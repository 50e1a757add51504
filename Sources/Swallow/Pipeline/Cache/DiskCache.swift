import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Keeps responses in the files of a folder: head, bytes and timestamp, from one launch to the next.
///
/// ```swift
/// let folder = caches.appending(path: "api.example.com")
/// let cache = DiskCache(folder: folder, sizeLimit: 50 << 20)
/// ```
///
/// - An entry is whole or absent, also when the process is killed while it writes: a file is written under
///   another name, then renamed. After a power failure a checksum tells. A file that is damaged, cut short or
///   in another format counts as absent and is removed.
/// - A file's modification time says when it was last written or read: the least recently used go first.
/// - Files are readable and writable by their owner only, and so is the folder where the cache makes it; a
///   folder that is there keeps its permissions. What another user owns is not read. Nothing is encrypted, but neither a
///   URL's user and password nor `Set-Cookie` fields are kept.
/// - Several caches, in several processes too, may share a folder. Files whose names aren't the cache's own,
///   64 hexadecimal digits and `.swallow` or `.swallow-temporary`, are never touched.
/// - Errors of the file system don't surface: what can't be read is absent, and a failed write leaves the old
///   entry or none.
///
/// The functions may be called from any thread, but wait for the file system.
public final class DiskCache: EntityCache {
    private struct Account: Sendable {
        /// An upper bound of the entries' size, other caches' writes aside; nil until the folder has been
        /// looked at.
        var size: Int?
        var writtenSinceSweep = 0
    }

    /// The serial queue of this cache.
    public let workQueue = DispatchQueue(label: "Swallow.DiskCache", qos: .userInitiated)

    private let folder: DiskCacheFolder
    private let sizeLimit: Int
    private let keepsAuthorized: Bool
    private let keepsForbidden: Bool
    private let keyFields = KeyFields.Memo()
    private let account = Lock(Account())

    var path: String { folder.path }

    /// Creates a cache over a folder. Responses that are already in the folder stay there.
    ///
    /// The initializer doesn't touch the folder, which is created with the first write. So a cache that is never used,
    /// for example one in a discarded configuration, changes no file.
    ///
    /// - Parameters:
    ///   - folder: a file URL. It had better be a folder of the cache's own, one that the system may empty.
    ///   - sizeLimit: how large the files may become, in bytes; 100 MiB by default. When they exceed it, the
    ///     least recently used go until an eighth of it is free. A response that is larger itself isn't kept;
    ///     a limit of zero or less keeps nothing. Each further cache over the same folder may exceed it by an
    ///     eighth for a while.
    ///   - keepsAuthorized: whether also to keep responses to requests with an `Authorization` field; false
    ///     by default.
    ///   - keepsForbidden: whether also to keep what a response or request with `Cache-Control: no-store`
    ///     forbids to keep (RFC 9111 §5.2); false by default.
    public init(
        folder: URL, sizeLimit: Int = 100 << 20, keepsAuthorized: Bool = false, keepsForbidden: Bool = false
    ) {
        self.folder = DiskCacheFolder(path: folder.absoluteURL.path)
        self.sizeLimit = folder.isFileURL ? sizeLimit : 0
        self.keepsAuthorized = keepsAuthorized
        self.keepsForbidden = keepsForbidden
    }

    /// The ``EntityCache/standardKey(for:)``; nil for a request with an `Authorization` field, or with
    /// `Cache-Control: no-store`, unless the cache was told to keep these.
    public func key(for request: URLRequest) -> String? {
        guard let key = StandardKey(request), keepsAuthorized || !key.hasAuthorization,
            keepsForbidden || !key.forbidsStoring
        else { return nil }
        return key.text(keyFields.line)
    }

    /// The response last written for a key, without content. It becomes the most recently used.
    public func read(_ key: String) -> CachedResponse? {
        let key = DiskCacheKey(key)
        let path = folder.path(of: folder.entryName(key))
        do {
            let file = try SystemFile.existing(path)
            guard file.isOwn else { return nil }
            // A timestamp that is being rewritten may have been seen half-way: the second look is at the
            // whole.
            for _ in 0..<2 {
                guard let bytes = try Self.bytes(of: file, limit: sizeLimit) else { break }
                guard let response = DiskCacheEntry.response(takingOver: bytes, digest: key.digest) else {
                    continue
                }
                file.touch()
                return response
            }
            SystemFile.remove(path)
        } catch {
            if error.isLink { SystemFile.remove(path) }
        }
        return nil
    }

    /// Keeps a response, and replaces the entry of the same key. A response that is too large or may not be kept removes that
    /// entry.
    public func write(_ response: CachedResponse, for key: String) {
        if !keepsForbidden, response.forbidsStoring { return remove(key) }
        let place = DiskCacheKey(key)
        guard response.data.count < sizeLimit,
            let preamble = DiskCacheEntry.preamble(of: response, digest: place.digest),
            response.data.count <= sizeLimit - preamble.count
        else { return remove(key) }
        let name = folder.entryName(place)
        let temporary = folder.path(of: folder.temporaryName(place))
        do {
            let file = try newFile(temporary)
            // Held until the file is closed: it tells a sweep that the writer is there.
            _ = file.lock()
            try file.write(preamble, at: 0)
            try file.write(response.data, at: preamble.count)
            file.touch()
            try file.rename(temporary, to: folder.path(of: name))
        } catch {
            return SystemFile.remove(temporary)
        }
        noteWritten(preamble.count + response.data.count, name)
    }

    /// Rewrites a response's timestamp, at once, so that a reader sees the old one or the new one.
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

    /// Removes a response's file.
    public func remove(_ key: String) {
        SystemFile.remove(folder.path(of: folder.entryName(DiskCacheKey(key))))
    }

    /// Removes the files of the responses with this key, or with it in their first line; looks through the folder.
    public func removeVariants(of key: String) {
        folder.removeVariants(of: DiskCacheKey(key))
    }

    /// Removes all responses' files, but not the folder. A response on its way isn't kept any more.
    public func removeAll() {
        CacheWipes.note([identity])
        folder.removeAll()
    }

    /// Removes the files of the responses to requests whose URL a closure says yes to. The heads of all are read.
    public func removeAll(where isMeant: @Sendable (URL) -> Bool) {
        for path in folder.entryPaths {
            guard let file = try? SystemFile.existing(path), file.isOwn else { continue }
            if let url = DiskCacheEntry.requestURL(of: file), isMeant(url) { SystemFile.remove(path) }
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
            // Others may be writing to the folder too: look at least after each eighth of the limit.
            return account.writtenSinceSweep > sizeLimit / 8 || account.size.map { $0 > sizeLimit } ?? true
        }
        guard needsSweep else { return }
        account.withLock { $0.writtenSinceSweep = 0 }
        let size = folder.sweep(limit: sizeLimit, keeping: name)
        account.withLock { $0.size = size }
    }

    /// The bytes of a file, to be freed by the caller; nil for what is no entry by its kind or size.
    private static func bytes(
        of file: borrowing SystemFile, limit: Int
    ) throws(SystemFile.Failure) -> UnsafeMutableRawBufferPointer? {
        guard let size = file.size, size >= DiskCacheEntry.headerSize, size <= limit else { return nil }
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
        do {
            if try file.read(into: bytes) { return bytes }
        } catch {
            bytes.deallocate()
            throw error
        }
        bytes.deallocate()
        return nil
    }
}
