"""People read, correct, label and judge: the queue, leases, submissions."""
