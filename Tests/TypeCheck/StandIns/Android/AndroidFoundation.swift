// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Unlike Glibc, Bionic declares which pointers may be null. `platforms` renames the calls in the sources, because with
// equal names the compiler would choose between both functions.

@_exported import Foundation

@discardableResult
public func bionic_lstat(_ path: UnsafePointer<CChar>, _ status: UnsafeMutablePointer<stat>) -> Int32 {
    absent()
}
@discardableResult
public func bionic_fstat(_ descriptor: Int32, _ status: UnsafeMutablePointer<stat>) -> Int32 { absent() }
@discardableResult
public func bionic_unlink(_ path: UnsafePointer<CChar>) -> Int32 { absent() }
@discardableResult
public func bionic_pread(
    _ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int, _ offset: off_t
) -> Int { absent() }
@discardableResult
public func bionic_pwrite(
    _ descriptor: Int32, _ buffer: UnsafeRawPointer, _ count: Int, _ offset: off_t
) -> Int { absent() }
@discardableResult
public func bionic_clock_gettime(_ clock: Int32, _ time: UnsafeMutablePointer<timespec>) -> Int32 { absent() }

@discardableResult
public func bionic_malloc(_ count: Int) -> UnsafeMutableRawPointer? { absent() }
@discardableResult
public func bionic_realloc(_ block: UnsafeMutableRawPointer?, _ count: Int) -> UnsafeMutableRawPointer? {
    absent()
}
@discardableResult
public func bionic_memchr(
    _ bytes: UnsafeRawPointer, _ byte: Int32, _ count: Int
) -> UnsafeMutableRawPointer? { absent() }
@discardableResult
public func bionic_memcmp(_ one: UnsafeRawPointer, _ other: UnsafeRawPointer, _ count: Int) -> Int32 {
    absent()
}
@discardableResult
public func bionic_memcpy(
    _ target: UnsafeMutableRawPointer, _ source: UnsafeRawPointer, _ count: Int
) -> UnsafeMutableRawPointer { absent() }
@discardableResult
public func bionic_memset(
    _ target: UnsafeMutableRawPointer, _ byte: Int32, _ count: Int
) -> UnsafeMutableRawPointer { absent() }
public func bionic_strerror(_ code: Int32) -> UnsafeMutablePointer<CChar> { absent() }

private func absent() -> Never { fatalError("a stand-in is never run") }
