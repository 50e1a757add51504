#if canImport(os)
    import os

    extension Optional where Wrapped == @Sendable (LogEvent) -> Void {
        /// Returns a log that writes to a system logger. It marks its lines as public, because they are redacted.
        ///
        /// ```swift
        /// service.log = .logger(Logger(subsystem: "com.example.app", category: "network"))
        /// ```
        ///
        /// - Parameters:
        ///   - logger: The logger that receives the lines, as `debug`, `info` or `error`.
        ///   - level: The lowest level to write. The default is `debug`, which writes all events.
        public static func logger(_ logger: Logger, _ level: LogEvent.Level = .debug) -> Self {
            { event in
                if event.level >= level {
                    logger.log(level: event.level.type, "\(event.description, privacy: .public)")
                }
            }
        }
    }

    extension LogEvent.Level {
        fileprivate var type: OSLogType {
            switch self {
            case .debug: .debug
            case .info: .info
            case .error: .error
            }
        }
    }
#endif
