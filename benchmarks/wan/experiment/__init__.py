"""What paper.py is made of: a network like the paper's, its figures 1 to 3, and speedup against copies."""
