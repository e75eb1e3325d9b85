"""Where the keys of the providers come from; none stands here."""

import os
from typing import Optional

OPENAI_API_KEY = os.environ.get("OPENAI_API_KEY", "")
ANTHROPIC_API_KEY = os.environ["ANTHROPIC_API_KEY"]
GEMINI_API_KEY = settings.providers.gemini2.api_key
MISTRAL_API_KEY: Optional[str] = None
DEFAULT_API_KEY = fallback_value
NO_API_KEY = "sign in first"
INVALID_API_KEY = "E401-not-accepted"
TEST_API_KEY = "test-value-123"

ERRORS = {
    "MISSING_API_KEY": "Nothing was given for provider 2",
    "UNKNOWN_API_KEY": "The service does not know it (401)",
}


def headers(token: Optional[str]) -> dict[str, str]:
    # A Bearer token goes into one header; bearer OAuth2.0 clients send the same.
    return {"Authorization": f"Bearer {token}"} if token else {}
