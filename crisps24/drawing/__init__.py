"""Drawings of cards and sheets, as SVG, PDF and PNG, and questions as GIFT text and QTI.

Read `lettering` (the width of text) and `drawings` (shapes, SVG), then `fractions` (stacked
fractions in lines of text), `cards`, `pdfs`, `pictures`, `gift` and `qti`. Nothing here knows the
rules of a game.
"""
