"""The exercises: `python -m exercises` checks what the student has written."""
