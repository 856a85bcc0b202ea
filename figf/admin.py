"""The administration pages: users here; everything else is written by its service."""

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.forms import AdminUserCreationForm
from django.contrib.auth.models import Group
from django.utils.translation import gettext_lazy as _

from figf.models import User

admin.site.unregister(Group)
admin.site.site_header = admin.site.site_title = "FIGF"


class NewUserForm(AdminUserCreationForm):
    class Meta:
        model = User
        fields = ("email", "name")


@admin.register(User)
class UserAdmin(DjangoUserAdmin):
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
