"""`manage.py first_secretary`: a real federation begins with a secretary, asked for here."""

import getpass
import sys
from typing import Any

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.core.validators import validate_email
from django.utils import timezone, translation

from figf import services
from figf.management.commands.is_empty import is_empty


class Command(BaseCommand):
    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        if not is_empty():
            raise CommandError("This federation has begun: its secretaries add the others.")
        if not sys.stdin.isatty():
            raise CommandError(
                "The first secretary is asked for on a terminal: run this from one "
                "(./run --empty, or manage.py first_secretary)."
            )
        self.stdout.write("The first secretary of the federation.")
        with translation.override("en"):
            name = self._ask("Name: ", lambda text: None if text else "Write a name.")
            email = self._ask("E-mail address: ", _email_problem)
            password = self._ask_password()
        services.create_user(email, password, name, timezone.now(), secretary=True)
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
