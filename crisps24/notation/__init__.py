"""Text, trees and their working: how formulas are written, read and worked out.

Read `trees`, then `grammar`.
"""
