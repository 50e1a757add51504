// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Functions and constants that Darwin declares differently than Glibc. They hide the declarations of Glibc, except if
// only the return type differs. `platforms` renames the calls of those functions.

@discardableResult
public func stat(_ path: UnsafePointer<CChar>!, _ status: UnsafeMutablePointer<stat>!) -> Int32 { absent() }
@discardableResult
public func lstat(_ path: UnsafePointer<CChar>!, _ status: UnsafeMutablePointer<stat>!) -> Int32 { absent() }
@discardableResult
public func fstat(_ descriptor: Int32, _ status: UnsafeMutablePointer<stat>!) -> Int32 { absent() }

@discardableResult
public func open(_ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { absent() }
@discardableResult
public func open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 { absent() }

public func darwin_opendir(_ path: UnsafePointer<CChar>!) -> UnsafeMutablePointer<DIR>! { absent() }
public func darwin_readdir(_ folder: UnsafeMutablePointer<DIR>!) -> UnsafeMutablePointer<dirent>! { absent() }
@discardableResult
public func darwin_closedir(_ folder: UnsafeMutablePointer<DIR>!) -> Int32 { absent() }

public var S_IFMT: mode_t { absent() }
public var S_IFREG: mode_t { absent() }
public var S_IFDIR: mode_t { absent() }
public var S_IFLNK: mode_t { absent() }

public var CLOCK_REALTIME: clockid_t { absent() }
@discardableResult
public func clock_gettime(_ clock: clockid_t, _ time: UnsafeMutablePointer<timespec>!) -> Int32 { absent() }

public var TIOCGWINSZ: UInt { absent() }

public var SOCK_STREAM: Int32 { absent() }
public var SO_NOSIGPIPE: Int32 { absent() }
