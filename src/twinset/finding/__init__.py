"""From texts to pairs and clusters: what a method is made of, and the methods."""
