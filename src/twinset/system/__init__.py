"""What the machine gives: files within bounds or written whole, temporary ones, child processes."""
