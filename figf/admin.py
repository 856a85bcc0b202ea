"""The administration pages: users here; everything else is written by its service."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.forms import AdminUserCreationForm, UserChangeForm
from django.contrib.auth.models import Group
from django.db import transaction
from django.db.models import Model
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from figf import services
from figf.models import LogEntry, User
from figf.web import signed_in

admin.site.unregister(Group)
admin.site.site_header = admin.site.site_title = "FIGF"


class Recorded(admin.ModelAdmin):
    """A page of the administration whose changes are in the federation's log too."""

    def log_addition(self, request: HttpRequest, obj: Model, message: Any) -> Any:
        self._record(request, obj, "admin_added", message)
        return super().log_addition(request, obj, message)

    def log_change(self, request: HttpRequest, obj: Model, message: Any) -> Any:
        self._record(request, obj, "admin_changed", message)
        return super().log_change(request, obj, message)

    def log_deletions(self, request: HttpRequest, queryset: Any) -> Any:
        for obj in queryset:
            self._record(request, obj, "admin_deleted", [])
        return super().log_deletions(request, queryset)

    def _record(self, request: HttpRequest, obj: Model, verb: str, message: Any) -> None:
        fields = [
            name
            for part in message
            if isinstance(part, dict)
            for detail in part.values()
            for name in detail.get("fields", [])
        ]
        LogEntry.objects.record(signed_in(request), verb, obj, timezone.now(), fields=fields)


class OneAddressEach(forms.ModelForm):
    """An address is of one log-in, whatever its capitals."""

    def clean_email(self) -> str:
        email: str = self.cleaned_data["email"]
        if User.objects.filter(email__iexact=email).exclude(pk=self.instance.pk).exists():
            raise forms.ValidationError(gettext("There is already a log-in with this address."))
        return email


class NewUserForm(OneAddressEach, AdminUserCreationForm):
    class Meta:
        model = User
        fields = ("email", "name")


RIGHTS = ("is_active", "is_staff", "is_superuser")


class UserForm(OneAddressEach, UserChangeForm):
    """A log-in; the last that has all the rights keeps them, or nobody could give them again."""

    class Meta:
        model = User
        fields = ("email", "password", "name", "language", *RIGHTS)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        taken = [name for name in RIGHTS if data.get(name) is False]
        if taken and _last_secretary([self.instance]):
            text = gettext("No other active secretary has all the rights: give them first.")
            for name in taken:
                self.add_error(name, text)
        return data


def _last_secretary(going: Iterable[User]) -> bool:
    """Whether nobody would be left who may do everything. Two who go at once wait in line."""
    them = services.secretaries().select_for_update(no_key=True).order_by("pk")
    left = set(them.values_list("pk", flat=True))
    going_too = {user.pk for user in going}
    return bool(left & going_too) and left <= going_too


@admin.register(User)
class UserAdmin(Recorded, DjangoUserAdmin):
    ordering = ["email"]
    list_display = ["email", "name", "is_staff", "is_active", "last_login"]
    list_filter = ["is_staff", "is_active"]
    search_fields = ["email", "name"]
    filter_horizontal = []
    readonly_fields = ["last_login", "date_joined"]
    form = UserForm
    add_form = NewUserForm
    fieldsets = [
        (None, {"fields": ["email", "password"]}),
        (_("Person"), {"fields": ["name", "language"]}),
        (_("Doors"), {"fields": ["is_active", "is_staff", "is_superuser"]}),
        (_("Dates"), {"fields": ["last_login", "date_joined"]}),
    ]
    add_fieldsets = [
        (None, {"fields": ["email", "name", "usable_password", "password1", "password2"]})
    ]

    @transaction.atomic
    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """The last who may do everything is there to stay, and nobody deletes himself."""
        gone, counts, wanting, protected = super().get_deleted_objects(objs, request)
        if _last_secretary(objs):
            text = gettext("No other active secretary has all the rights: give them first.")
            protected = [*protected, text]
        elif request.user in objs:
            protected = [*protected, gettext("Your own log-in: another secretary deletes it.")]
        return gone, counts, wanting, protected
