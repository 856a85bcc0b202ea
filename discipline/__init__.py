"""Sanctions and appeals."""
