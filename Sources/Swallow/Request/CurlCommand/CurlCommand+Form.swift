import Foundation

extension CurlCommand {
    static func words(for form: MultipartForm, _ redaction: LogRedaction?) -> [String]? {
        let isGrant = form.fields.contains { $0.name == "grant_type" }
        let redaction = redaction?.forItems(besideGrantType: isGrant)
        var words: [String] = []
        for field in form.fields {
            guard let option = option(for: field, redaction) else { return nil }
            words += option
        }
        return words
    }

    private static func option(for field: MultipartForm.Field, _ redaction: LogRedaction?) -> [String]? {
        // In curl, some of these characters terminate a name. Versions of curl escape the others differently.
        let special: Set<Unicode.Scalar> = ["=", "\"", "\\", "\r", "\n", "\0"]
        guard !field.name.isEmpty,
            !(field.name + (field.fileName ?? "")).unicodeScalars.contains(where: special.contains),
            field.contentType?.wholeMatch(of: /[\w.+-]+\/[\w.+-]+/) != nil || field.contentType == nil
        else { return nil }
        let isSecret = redaction?.isSecret(field.name) == true
        var value: String
        switch field.body.form {
        case .file(let url) where field.fileName != nil: value = "@\(url.path.quoted)"
        case .stream where field.fileName != nil: value = "@-"
        case .data(let data):
            guard let text = isSecret ? LogRedaction.placeholder : shown(data, of: field, redaction) else {
                return nil
            }
            if field.fileName == nil, field.contentType == nil {
                return ["--form-string", "\(field.name)=\(text)".shellQuoted]
            }
            value = text.quoted
        default: return nil
        }
        if let contentType = field.contentType { value += ";type=\(contentType)" }
        if let fileName = field.fileName { value += ";filename=\(fileName.quoted)" }
        return ["--form", "\(field.name)=\(value)".shellQuoted]
    }

    private static func shown(
        _ data: Data, of field: MultipartForm.Field, _ redaction: LogRedaction?
    ) -> String? {
        guard data.count < 65_536 else { return redaction == nil ? nil : LogRedaction.placeholder }
        guard let redaction else { return data.textOfShell }
        if field.fileName == nil, field.contentType == nil { return data.textOfShell.map(redaction.redacted) }
        return redaction.text(ofBody: data, contentType: field.contentType ?? "", limit: .max)
            ?? LogRedaction.placeholder
    }
}
