"""Methods: named recipes from text to candidates, one small file each."""
