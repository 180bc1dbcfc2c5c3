"""Files and processes: bounded reading, atomic writing, temporary files, threads, children."""
