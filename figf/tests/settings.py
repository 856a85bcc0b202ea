"""Settings of the test suite: the product's, with a cheap password hash and no kept connection.

The API may be asked as often as one likes.
"""

import os

# `./test` sets these too; here they let the tools of the gate run by themselves.
os.environ.setdefault("SECRET_KEY", "only for the tests")
os.environ.setdefault("SITE_URL", "http://testserver")

from figf.settings import *  # noqa: F403
from figf.settings import DATABASES, REST_FRAMEWORK

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
DATABASES["default"]["CONN_MAX_AGE"] = 0
REST_FRAMEWORK["DEFAULT_THROTTLE_RATES"] = {"api": None}  # who tests the limit sets one
