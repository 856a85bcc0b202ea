"""`manage.py first_secretary`: a federation that has no secretary gets one, asked for here."""

import getpass
import sys
from typing import Any

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_email
from django.utils import timezone, translation

from figf import services
from figf.models import User


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--if-none", action="store_true", help="where there is a secretary, do nothing"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if services.secretaries().exists():
            if options["if_none"]:
                return
            raise CommandError("This federation has a secretary: secretaries add the others.")
        if not sys.stdin.isatty():
            raise CommandError(
                "The first secretary is asked for on a terminal: run this from one "
                "(./run --empty, or manage.py first_secretary)."
            )
        self.stdout.write("The secretary of the federation: there is none.")
        with translation.override("en"):
            email = self._ask("E-mail address: ", _email_problem)
            known = User.objects.filter(email__iexact=email).first()
            if known is None:
                name = self._ask("Name: ", lambda text: None if text else "Write a name.")
                password = self._ask_password()
                services.create_user(email, password, name, timezone.now(), secretary=True)
            else:
                self.stdout.write(f"It is the log-in of {known.name}, with a new password.")
                services.give_rights_back(known, self._ask_password(), timezone.now())
        self.stdout.write(self.style.SUCCESS(f"Done: log in as {email}."))

    def _ask(self, prompt: str, problem: Any) -> str:
        while True:
            text = input(prompt).strip()
            wrong = problem(text)
            if wrong is None:
                return text
            self.stdout.write(wrong)

    def _ask_password(self) -> str:
        while True:
            password = getpass.getpass("Password: ")
            try:
                validate_password(password)
            except ValidationError as error:
                self.stdout.write(" ".join(error.messages))
                continue
            if getpass.getpass("Once more: ") == password:
                return password
            self.stdout.write("The two differ.")


def _email_problem(text: str) -> str | None:
    try:
        validate_email(text)
    except ValidationError as error:
        return " ".join(error.messages)
    return None
