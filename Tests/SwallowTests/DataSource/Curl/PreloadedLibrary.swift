#if os(Linux) && canImport(Glibc)
    import Foundation
    import TestSupport
    import Testing

    /// A library that replaces functions of the libraries in a test's process.
    struct PreloadedLibrary {
        private static let compiler = URL(fileURLWithPath: "/usr/bin/cc")
        /// Whether the machine has a C compiler.
        static let isAvailable = FileManager.default.isExecutableFile(atPath: compiler.path)

        /// The variables that make a new process load the library.
        let environment: [String: String]
        private let folder = TemporaryFolder()

        /// Compiles C code to a library.
        init(_ source: String, _ options: String...) async throws {
            try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
            let (file, library) = (folder.file("library.c"), folder.file("library.so"))
            environment = ["LD_PRELOAD": library.path]
            try Data(source.utf8).write(to: file)
            let arguments = ["-shared", "-fPIC", "-o", library.path, file.path] + options
            try #require(await ChildProcess(Self.compiler, arguments).status() == 0)
        }
    }
#endif
