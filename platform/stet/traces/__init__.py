"""Episodes and what they are made of: segments, generations, candidates, corrections."""
