EXTRA_DIST += tests/schema.py
