"""Files and processes: bounded reading, whole writing, journals, temporary files, children."""
