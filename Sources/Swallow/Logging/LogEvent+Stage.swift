extension LogEvent {
    /// One run of a transformer.
    public struct Stage: Sendable, Hashable {
        /// The name of the stage that the transformer belongs to.
        public let name: String
        /// The transformer's description.
        public let transformer: String
        /// How long it ran.
        public let duration: Duration
        /// What came of it.
        public let outcome: Outcome

        /// What came of a transformer's run.
        public enum Outcome: Sendable, Hashable {
            /// Content of the type with this name.
            case output(type: String)
            /// No content; the reason is the error's text.
            case failure(reason: String)
        }

        /// A run that made content of a type.
        init(_ name: String, transformer: String, duration: Duration, output: Any.Type) {
            self.init(name, transformer, duration, .output(type: "\(output)"))
        }

        /// A run that failed.
        init(
            _ name: String, transformer: String, duration: Duration, error: any Error, redaction: LogRedaction
        ) {
            self.init(name, transformer, duration, .failure(reason: redaction.redacted("\(error)")))
        }

        private init(_ name: String, _ transformer: String, _ duration: Duration, _ outcome: Outcome) {
            self.name = name
            self.transformer = transformer
            self.duration = duration
            self.outcome = outcome
        }

        var isSuccess: Bool {
            switch outcome {
            case .output: true
            case .failure: false
            }
        }
    }
}
