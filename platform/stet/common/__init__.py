"""What every app needs: errors, ids, append-only rows, idempotency, the outbox, packing."""
