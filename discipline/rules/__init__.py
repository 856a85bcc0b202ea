"""Rules of sanctions and appeals."""
