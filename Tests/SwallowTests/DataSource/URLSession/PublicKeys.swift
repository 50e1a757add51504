import Foundation
import Testing

/// Public keys that openssl made for these tests. Their private keys were not kept.
///
/// The bare key is the output of `openssl rsa -RSAPublicKey_out -outform DER`, or the point that `openssl ec
/// -text` shows. The pin is the output of `openssl pkey -pubin -outform DER | openssl dgst -sha256 -binary |
/// openssl base64`.
struct PublicKey: Sendable, CustomTestStringConvertible {
    let name: String
    let bare: String
    let pin: String

    var testDescription: String { name }
    var data: Data { Data(base64Encoded: bare.filter { !$0.isWhitespace }) ?? Data() }

    static let all = [
        PublicKey(
            name: "RSA 2048",
            bare: """
                MIIBCgKCAQEAk97cEE55cFPVNy5FB6i7px0lYZ7yig/7p7wZqX/wxQPFtxM0UmjqwlxmDi7Ip8CrIG/OyFtZvP7INnf2KgA4q91c
                ZAh2srwLW44Cit4dsj/lRPYTGX6pXN0TamSv1kfXHAMaP4ribMrSXsGLgfDjBI2nf/Y1WPpNkTUwVSKxK6Ow8uTlOi283EsFN9Yj
                LKYzP+lmD/V/Kxo6B/YssCBoyw06lBVbWoB0LKD1nXgC/oI/3XPt6AQ6a/rxb0biCfi1rPJrrsVLiwGY9Hu3ySYm4xTgOR/wEbAg
                O0DOk4sU4RVTVE8H/QsHOQ/XU3cGzqaP61ehIVrFyD29xt+UECwGIQIDAQAB
                """,
            pin: "PlIcS3XWyYqQUJjNnibsHtxcJYiNKXhZ+FC/8EyPtqU="),
        PublicKey(
            name: "RSA 3072",
            bare: """
                MIIBigKCAYEAvj7yxpHV34varnaNI3Z+3UyGpiR1Pzp++I3QB0HpN2LKaL3ofkAD42DSvHWrRj8gsEkOi0hl4Y/R3tJnvO6b/8Tj
                Sx3sfS5ZdXR2ONeWAKPOBSaVajx4kPUm9Y4F1Xb8/tOFug699jmyL07cOROaWDeLKZnqyjYxTvCDCzivRU/P3t156J+dVyo/bf7p
                sSPIFgLWDS/+/BA3R6zeL2DKIEaXk34AnIZ20/gSe5CvA7B8jKfc1ZgFH43A82+ej0pAJvabBrHKBCNqN2I6zVG7vwpnz/mOA5Hg
                lzGWef0gCAS4BbdcFthHwI4jg5mqJGdDCvYyno0WeIKDQFhDdgSTDKLLNFwJ9jUDZf43OTtnyHQ7AS2rgHrCmksSKC2+vOkVhlvd
                gjyiTP/Ax31XgRPlopeODPHlJDsjai/p7UD/tamuAa2rC0pR/0OPlkFoTdkXgjxpJaK2C9wH5CIywU64YoW50QS0sa8TkzwNV9rp
                lmfOGhkAMJfnSjf72Li76rG3AgMBAAE=
                """,
            pin: "NKmKpp+kapKBztfCo3UtJymybY5OxoqgBkRQAyNeS74="),
        PublicKey(
            name: "RSA 4096",
            bare: """
                MIICCgKCAgEAoEyQ0Cm32bPtIcnVJtwHE5wiadaOWyfGynEIeDFZS6sh1p9sN8gw1ZoacJ6ZC30kmaPm32m+4ep53FEATb/5QVjX
                57nEtZvoORTR26iLvV13fXF/TBZo4A94w/726qcpF5/P9dPsA0R488N5K81MiDIlZcSo+vZ4Bnat9D6l9R6ANVzOo1Vd/JetlU0l
                0XZ/4jSmLqqp/aKVzglpKUf+3C0caPYjXwsYPElOMD/CyYKu8chNafS3JfdAoFlLjscnB0OALaMqw1pVYssrzfqQLULgI9cNfR2G
                el1cuvoCmE4u80HAEiTwpnrDAmdyQbqn/tYCkfchW5SPApvm4TuHExNsi/yf/d7fJ920XyYB7vcr6IvInSYvOpaTjbRM5qYJ6stj
                ABEWiMggKpAI0ZE40lQUGlZpSBBsdZofWH7LB+Yr+jiHMxT2AVtSN5OTKrNM6PzDIov6jsT2+Xuwtz8ZfTQPhaB9ZZJyzpNLj3Ff
                tCBmepKzME+77bU9EDaRDxFarfJtvgilAgzN17f64caLSpx0qR6xDlg5Na4zLdX1jrVnSFYYzy9C8ph1tytZ9bJ8Mvwh46g8wqvt
                7GZUtvBBeN2uhCFi3zU6sayyXDW5q2Gql92Oq0w4FGze6hgElF/V13L5T4wC1VkeaWlLNLbzlxquhhFTSK8atYdbmpnpOF0CAwEA
                AQ==
                """,
            pin: "b0oeSY9ks3O3wrnOaBiJIeFJiVor8lqrrSriqs/VLOA="),
        PublicKey(
            name: "RSA 1024, exponent 3",
            bare: """
                MIGHAoGBAKiNd/LFU4+lf5NPWbTiYGKUzfF3L9+K8d8XsI+/4AG+3ggCvFRZIfpAOMuEh+ZyIQSxse8X967t2y0PD3bPTE7RkVtO
                CmnJzLn9NsGpSBppw7DfsWCgzaEekPw16zgjD0Ad0tfkhcYGe90bgQznz94u84sa6H+mXf7nGWBgk7HRAgED
                """,
            pin: "sCHBbJijf1CZZfS3Clsk1zSWK6K3almvqmoTLGNrcL8="),
        PublicKey(
            name: "P-256",
            bare: """
                BF9A3it5nkw7B+dA3LnX83cj/tUn4x/fhX05Zlfn1v39fiVN5KIy+AYeuGV3oF7GOasU9FDkpw5RWbU0GAg/pOs=
                """,
            pin: "TpW02w7PHnsuJ7CG2qIiVm8m1i/7iBGjY80YsRwaGsg="),
        PublicKey(
            name: "P-384",
            bare: """
                BNzTY4+wS2l+L3V9qad/c5IoQfqWrSsBXhloJjJ7k1pabVPpMC+ca5SWEFEqHEqGduMTO0KAJlfog3sALQKPi8VvN4E643ms31R/
                n7R3nySSdzKuPThvxWekeITnoeQSvQ==
                """,
            pin: "y1p1g0WBrQX5rWXNA/5ZMSfuk7gxIKjtik8qJI1+vfo="),
        PublicKey(
            name: "P-521",
            bare: """
                BAAVEz5tjbXntM9uPVittAY114uQpcSq6srJAwkbHpCdFBiBFvEdOkHueqCnKJmEeJPe+cGbQDp6wp/aMeyk5ln9KwGLFRGBsKIB
                T1EGvMVw5ltkG6tTQ97dPo5JKwV23SrZpd0xgQMb/BeRmt+8n1ohjhJYSmIhO6MnXzJ+TTN7orWq8A==
                """,
            pin: "Ak8HExq33N+4Z+R4LHQgJsxWdnSnKKhmDdk8TYwsZvk="),
    ]
}
