"""What a password must be, in words of ours where Django's have no Italian."""

from django.contrib.auth.password_validation import MinimumLengthValidator
from django.utils.translation import ngettext


class LongEnough(MinimumLengthValidator):
    def get_error_message(self) -> str:
        return ngettext(
            "The password is too short: at least %(n)d character.",
            "The password is too short: at least %(n)d characters.",
            self.min_length,
        ) % {"n": self.min_length}
