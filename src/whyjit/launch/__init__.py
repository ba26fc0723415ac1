"""Running a program unchanged, and recording it and the Python processes it starts.

The program is started as a user starts it: by `python script.py`, in the place of the `whyjit` process. So its
arguments, its `__main__`, its tracebacks, its exit status and its signals are plain Python's own. What records it comes
in by PYTHONPATH: the folder `site` holds a `sitecustomize.py`, which Python imports before the program in the process
itself and in every Python process started from it.
"""
