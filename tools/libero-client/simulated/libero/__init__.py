"""A stand-in for LIBERO, for tests: what this repository's client asks of it, without a simulator or any package."""
