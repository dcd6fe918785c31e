"""What is allowed, and exact arithmetic: the ground floor, which imports no other wing.

Read `games`, then `ratios`.
"""
