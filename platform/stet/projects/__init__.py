"""Projects: the border of permission; their members, guidelines and tasks."""
