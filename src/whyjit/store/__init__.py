"""Recordings on disk: one SQLite file for each process, in a folder for each run."""
