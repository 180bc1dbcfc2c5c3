"""What can go: files of a folder in groups, each with the copy that stays and the reason."""
