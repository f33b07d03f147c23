"""Networks whose postbacks are known, one module each."""
