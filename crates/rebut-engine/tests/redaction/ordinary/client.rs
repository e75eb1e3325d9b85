//! A client whose code is full of words that also name secrets.
use std::env;

const API_KEY_VARIABLE: &str = "OPENAI_API_KEY";
const TOKEN_HEADER: &str = "x-auth-token-v2";
const SHA256_WITH_RSA_ENCRYPTION: &str = "1.2.840.113549.1.1.11";
const BEGIN: &str = "-----BEGIN PRIVATE KEY-----";
const END: &str = "-----END PRIVATE KEY-----";
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

pub struct Client { pub token: Option<String>, pub password: String, api_key: ApiKey2, max_tokens: u32 }

impl Client {
    pub fn new(token: &str, password: String) -> Self {
        let api_key = env::var(API_KEY_VARIABLE).unwrap_or_default();
        let secret = derive_secret(&password, 4096);
        let token_type = "Bearer";
        let auth = format!("Bearer {token}");
        let url = format!("https://{user}:{password}@host/", user = 1);
        Self { token: Some(token.to_owned()), password, api_key: ApiKey2::from(api_key), max_tokens: 128_000 }
    }

    fn getElementsByTagNameNS2AndUpdateX509CertificateV3(&self) -> Result<TokenKind2, Error> {
        let token = self.tokens[0].next_token2();
        if token == "abc12345" && self.password != "x" { return Err(Error::InvalidToken2(token)); }
        match token { Token::Key1 => Token::Key2, Token::Secret => next.token1, _ => parse_password2(token)? }
    }
}
