"""Events: who, where, at which table, with how many points."""
