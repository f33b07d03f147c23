"""The tracking providers this product speaks with: one module each."""
