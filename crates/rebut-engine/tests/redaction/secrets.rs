//! Secrets of every known form, put together from parts, in texts as they arrive.

use crate::drawn::{BASE64, CAPITALS, Drawn, FOR_ADDRESSES, HEX, LETTERS};

/// A text with a secret in it.
pub(crate) struct Secret {
    pub(crate) kind: &'static str,
    pub(crate) text: String,
    pub(crate) expected: String,
}

/// Where secrets stand: the secret's place is `@`.
const PLACES: [&str; 9] = [
    "@",
    "use @ for it",
    "the key is @, and more",
    "{\"error\":\"refused\\n@\\n\"}",
    "curl -H 'x: @' https://example.org/a?b=c",
    "first\n@\nlast",
    "\u{1b}[31m@\u{1b}[0m",
    "(`@`)",
    "Ärger: »@«",
];

/// How a value is given to a name: the secret's place is `@`, the name's `N`.
const ASSIGNMENTS: [&str; 12] = [
    "N=@",
    "export N=@\nnext",
    "N=\"@\"",
    "N='@'",
    "N: @\nnext: 1",
    "N: \"@\"",
    "{\"N\": \"@\", \"n\": 1}",
    "{\\\"N\\\":\\\"@\\\"}",
    "N = \"@\"\n",
    "N => '@',",
    "const N: &str = \"@\";",
    "docker run -e N=@ image",
];

/// One secret of each kind in each place.
pub(crate) fn known(drawn: &mut Drawn) -> Vec<Secret> {
    let mut all = Vec::new();
    for (kind, secret) in by_form(drawn) {
        all.extend(PLACES.map(|place| Secret {
            kind,
            text: place.replace('@', &secret),
            expected: place.replace('@', "[redacted]"),
        }));
    }
    for (kind, name, secret) in by_name(drawn) {
        all.extend(ASSIGNMENTS.map(|place| {
            let place = place.replace('N', name);
            Secret { kind, text: place.replace('@', &secret), expected: place.replace('@', "[redacted]") }
        }));
    }
    all.extend(in_texts(drawn).into_iter().map(|(kind, place, secret)| Secret {
        kind,
        text: place.replace("{}", &secret),
        expected: place.replace("{}", "[redacted]"),
    }));
    all
}

fn by_form(drawn: &mut Drawn) -> Vec<(&'static str, String)> {
    let jwt = jwt(drawn);
    let (pem, _) = pem(drawn);
    let mut all = vec![
        ("sk-", format!("sk{}{}", "-", drawn.characters(LETTERS, 48))),
        (
            "sk-ant-",
            format!("sk{}api03-{}-{}AA", "-ant-", drawn.characters(FOR_ADDRESSES, 86), drawn.characters(LETTERS, 6)),
        ),
        ("sk-proj-", format!("sk{}{}", "-proj-", "WORDWORDWORDWORDWORDWORD")),
        ("sk-ant-", format!("sk{}{}", "-ant-api03-", "TOPICTOPICTOPICTOPIC123456")),
        ("sk-proj-", format!("sk{}{}", "-proj-", drawn.characters(FOR_ADDRESSES, 120))),
        ("sk-or-v1-", format!("sk{}{}", "-or-v1-", drawn.characters(HEX, 64))),
        ("AIza", format!("AI{}{}", "za", drawn.characters(LETTERS, 35))),
        ("github_pat_", format!("github_{}_{}_{}", "pat", drawn.characters(LETTERS, 22), drawn.characters(LETTERS, 59))),
        ("xoxb-", format!("xox{}-{}-{}", "b", drawn.characters("0123456789", 12), drawn.characters(LETTERS, 24))),
        ("xoxp-", format!("xox{}-{}-{}", "p", drawn.characters("0123456789", 12), drawn.characters(HEX, 32))),
        ("glpat-", format!("gl{}-{}", "pat", drawn.characters(LETTERS, 20))),
        ("hf_", format!("h{}_{}", "f", drawn.characters(LETTERS, 34))),
        ("npm_", format!("np{}_{}", "m", drawn.characters(LETTERS, 36))),
        ("pypi-", format!("py{}-AgEI{}", "pi", drawn.characters(FOR_ADDRESSES, 150))),
        ("sk_live_", format!("sk_{}_{}", "live", drawn.characters(LETTERS, 24))),
        ("GOCSPX-", format!("GOC{}-{}", "SPX", drawn.characters(LETTERS, 28))),
        ("ya29.", format!("ya{}.{}", "29", drawn.characters(FOR_ADDRESSES, 80) + "a")),
        ("JWT", jwt),
        ("PEM", pem),
        ("PEM in base64", format!("LS0tLS1CRUdJTi{}{}", "BSU0Eg", drawn.characters(BASE64, 900))),
    ];
    for kind in ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"] {
        all.push((kind, format!("{kind}{}", drawn.characters(LETTERS, 36))));
    }
    for kind in ["AKIA", "ASIA"] {
        all.push((kind, format!("{kind}{}", drawn.characters(CAPITALS, 16))));
    }
    all
}

fn by_name(drawn: &mut Drawn) -> Vec<(&'static str, &'static str, String)> {
    let mut token = || format!("{}7x", drawn.characters(LETTERS, 30));
    vec![
        ("_API_KEY", "OPENAI_API_KEY", token()),
        ("_TOKEN", "CI_DEPLOY_TOKEN", token()),
        ("_SECRET", "OAUTH_CLIENT_SECRET", token()),
        ("apiKey", "apiKey", token()),
        ("access_token", "access_token", token()),
        ("client-secret", "client-secret", token()),
        ("PASSWORD", "DB_PASSWORD", drawn.password()),
        ("password", "password", drawn.password()),
        ("AWS secret key", "AWS_SECRET_ACCESS_KEY", drawn.characters(BASE64, 40)),
        ("aws secret key", "aws_secret_access_key", drawn.characters(BASE64, 40)),
        ("SecretAccessKey", "SecretAccessKey", drawn.characters(BASE64, 40)),
        ("hex after its name", "SESSION_SECRET", drawn.characters(HEX, 62) + "a1"),
    ]
}

fn in_texts(drawn: &mut Drawn) -> Vec<(&'static str, &'static str, String)> {
    let (_, unfinished) = pem(drawn);
    let headless =
        format!("{}\n{}\n-----END {} KEY-----", drawn.characters(BASE64, 64), drawn.characters(BASE64, 20), "PRIVATE");
    let opaque = format!("{}9", drawn.characters(LETTERS, 31));
    vec![
        ("Bearer JWT", "Authorization: Bearer {}, next", jwt(drawn)),
        ("Bearer", "authorization: bearer {}\r\nnext", opaque.clone()),
        ("Bearer", "-H \"Authorization: Bearer {}\" -v", opaque.clone()),
        ("Basic", "Authorization: Basic {}", drawn.characters(LETTERS, 30) + "9=="),
        ("short Bearer", "Authorization: Bearer {}", format!("{}1", drawn.characters(LETTERS, 9))),
        ("short Bearer", "it sent Bearer {} and was refused", format!("x{}7q", drawn.characters(HEX, 5))),
        ("short Bearer", "'authorization': 'Bearer {}'", "letmein-2026".to_owned()),
        ("API key of words", "X_API_KEY=\"{}\"\nnext", "two words in quotes".to_owned()),
        ("API key of words", "export X_API_KEY='{}'", "open sesame".to_owned()),
        ("API key of words", "{\"X_API_KEY\": \"{}\", \"n\": 1}", "two words in quotes".to_owned()),
        ("API key of words", "X_API_KEY: \"{}\"\n", "swordfish-of-mine".to_owned()),
        ("API key, spaced", "X_API_KEY = {}\nnext = 1", "swordfish-of-mine".to_owned()),
        ("API key, spaced", "X_API_KEY = {}", "spaced1234".to_owned()),
        ("API key, colon", "env:\n  X_API_KEY: {}\n  NEXT: 1", "swordfish-2026".to_owned()),
        ("API key, colon", "- X_API_KEY: {} # ours", "colon1234".to_owned()),
        ("address", "postgres://app:{}@db.example.org:5432/app?sslmode=require", drawn.password()),
        ("address", "git clone https://x-access-token:{}@example.org/a/b.git", drawn.characters(LETTERS, 20)),
        ("address", "remote: https://{}@example.org/a/b.git", drawn.characters(HEX, 40)),
        ("address", "redis://:{}@cache:6379/0", "pa@ss".to_owned() + &drawn.characters(HEX, 8)),
        ("flag", "tool --token {} --verbose", opaque.clone()),
        ("flag", "tool --api-key={} --verbose", opaque.clone()),
        ("flag", "mysql --password {} db", drawn.password()),
        ("query", "GET /v1/models?access_token={}&page=2", opaque.clone()),
        ("header", "x-api-key: {}\naccept: */*", opaque),
        ("npmrc", "//registry.example.org/:_authToken={}\n", drawn.characters(HEX, 30) + "a1"),
        ("unfinished PEM", "it says:\n{}", unfinished),
        ("headless PEM", "… {}\nnext", headless),
    ]
}

fn jwt(drawn: &mut Drawn) -> String {
    let mut part = |length| drawn.characters(FOR_ADDRESSES, length) + "a";
    format!("ey{}{}.ey{}{}.{}", "J", part(33), "J", part(120), part(42))
}

/// A private key as a whole, and one that breaks off.
fn pem(drawn: &mut Drawn) -> (String, String) {
    let lines: Vec<String> = (0..5).map(|_| drawn.characters(BASE64, 64)).collect();
    let begin = format!("-----BEGIN {} KEY-----", "RSA PRIVATE");
    let end = format!("-----END {} KEY-----", "RSA PRIVATE");
    let body = lines.join("\n");
    (format!("{begin}\n{body}\n{}=\n{end}", &lines[0][..27]), format!("{begin}\n{body}\n{}", &lines[1][..9]))
}
