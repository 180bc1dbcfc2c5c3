"""The laboratory: test collections, known duplicates, methods side by side, tuning, learning."""
