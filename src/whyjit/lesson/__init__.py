"""The lesson: tracing, static arguments and recompilation, learned with the ledger.

Its text is in `parts/`, one Markdown file for each part, with fenced blocks for what is run and asked; from it come the
lesson in the terminal, the notebook and the page in the documentation. What is shown of JAX is measured by whyjit when
the reader gets there. This layer knows whyjit as a user does: by its command and its public functions.
"""
