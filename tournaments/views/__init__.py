"""Pages of events, tables and people. Each finds and authorises, calls a service, renders."""
