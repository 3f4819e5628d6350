"""Random programs: a notebook must do in several cells what the same statements do in one block."""
