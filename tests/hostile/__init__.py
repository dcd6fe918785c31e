"""Random hostile inputs, calls and files, which must end in results or documented errors."""
