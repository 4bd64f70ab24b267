"""What ends the comparison: one line that says what is wrong and what to do."""


class Problem(Exception):
    pass
