"""A stand-in for the package of this name, for tests without AI2-THOR: put this folder's parent on PYTHONPATH.

It has ALFWorld's embodied environment and nothing else. Texts, frames, batches, threads and what is odd about them are
those of ALFWorld 0.4.2's oracle controller by its description; there is no physics, and nothing is seen but what is there.
"""
