// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Types that Darwin declares differently than Glibc. They hide Glibc's types. They have a separate module because a
// Swift module can't have both a type and a function named `stat`.

@_exported import Foundation
@_exported import FoundationNetworking

public typealias mode_t = UInt16
public typealias nlink_t = UInt16
public typealias dev_t = Int32
public typealias ino_t = UInt64

public struct stat {
    public var st_dev: dev_t
    public var st_mode: mode_t
    public var st_nlink: nlink_t
    public var st_ino: ino_t
    public var st_uid: UInt32
    public var st_gid: UInt32
    public var st_size: Int64
    public var st_atimespec: timespec
    public var st_mtimespec: timespec
    public var st_ctimespec: timespec
    public init() { absent() }
}

public struct DIR {}

public struct dirent {
    public var d_ino: ino_t
    public var d_seekoff: UInt64
    public var d_reclen: UInt16
    public var d_namlen: UInt16
    public var d_type: UInt8
    // On Darwin it has 1,024 elements.
    public var d_name: (CChar, CChar)
    public init() { absent() }
}

public struct clockid_t: RawRepresentable, Sendable {
    public var rawValue: UInt32
    public init(rawValue: UInt32) { absent() }
}

package func absent() -> Never { fatalError("a stand-in is never run") }
