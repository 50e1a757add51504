#if canImport(os)
    import os

    extension Optional where Wrapped == @Sendable (LogEvent) -> Void {
        /// A log that hands each event's line to a logger of the system, where Console and `log stream` show
        /// it.
        ///
        /// Lines are public to the system, since secrets have been taken out of them already.
        ///
        /// ```swift
        /// service.log = .logger(Logger(subsystem: "com.example.app", category: "network"))
        /// ```
        ///
        /// - Parameters:
        ///   - logger: takes the lines, as `debug`, `info` or `error`.
        ///   - level: events below this level are left out; none by default, since the system has levels of
        ///     its own.
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
