"""Drop-in modules for those who switch: the same names, arguments and return types, only faster.

``from softpq.compat.stardist import matching`` instead of ``from stardist.matching import matching``, and so on. The
values are those of the tools, where they differ from softpq's own: see docs/differences.md.
"""
