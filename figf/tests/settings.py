"""Settings of the test suite: the product's, with a cheap password hash and no kept connection."""

import os

# `./test` sets these too; here they let the tools of the gate run by themselves.
os.environ.setdefault("SECRET_KEY", "only for the tests")
os.environ.setdefault("SITE_URL", "http://testserver")

from figf.settings import *  # noqa: F403
from figf.settings import DATABASES

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
DATABASES["default"]["CONN_MAX_AGE"] = 0
