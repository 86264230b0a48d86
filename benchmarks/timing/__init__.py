"""What is timed, and how."""
