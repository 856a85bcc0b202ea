"""Settings of the test suite: the product's, with a cheap password hash and no kept connection."""

from figf.settings import *  # noqa: F403
from figf.settings import DATABASES

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
DATABASES["default"]["CONN_MAX_AGE"] = 0
