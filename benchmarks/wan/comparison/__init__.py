"""The parts of compare.py: what is run, over which carriers and where, how runs are kept, and how they are shown."""
