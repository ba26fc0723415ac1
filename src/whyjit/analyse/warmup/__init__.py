"""What a recorded run used that can be compiled ahead of time, and how its arguments are written."""
