import os
from getpass import getpass

SECRET_KEY = os.environ["DJANGO_SECRET_KEY"]
API_TOKEN = get_settings().api_token2
PASSWORD_HASHERS = ["django.contrib.auth.hashers.PBKDF2PasswordHasher"]
DEFAULT_TOKEN = None


def connect(user, password=None, token=None, api_key=os.getenv("API_KEY")):
    password = password or getpass("Password: ")
    client = Client(user=user, password=password, token=self.token1, secret=secret_for(user))
    tokens = tokenizer.encode("hello", max_length=512)
    return client.login(password=client.password2, api_key=settings.API_KEY)


# postgres://user:password@localhost:5432/db is the form; the bearer authentication-scheme-of-the-gateway comes later
VERSION = "1.24.0-rc.1+build.20260303T101010Z.g3f2a9c1"
URL = "https://example.org/some/long/path/ToAResource2/WithVersion3/andMore/index.html"
