"""`toolgym`: a multi-turn tool world with families of anomalies and their benign look-alikes."""
