"""What is said of answers as people and models write them, and by whom it is held to that."""
