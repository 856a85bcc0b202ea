"""The administration pages: users here; everything else is written by its service."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.forms import AdminUserCreationForm
from django.contrib.auth.models import Group
from django.db.models import Model
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

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


class NewUserForm(AdminUserCreationForm):
    class Meta:
        model = User
        fields = ("email", "name")


@admin.register(User)
class UserAdmin(Recorded, DjangoUserAdmin):
    ordering = ["email"]
    list_display = ["email", "name", "is_staff", "is_active", "last_login"]
    list_filter = ["is_staff", "is_active"]
    search_fields = ["email", "name"]
    filter_horizontal = []
    readonly_fields = ["last_login", "date_joined"]
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
