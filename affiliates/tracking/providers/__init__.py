"""The supported tracking providers: one module each."""
