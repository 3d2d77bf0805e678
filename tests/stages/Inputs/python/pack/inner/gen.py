from ..names import LABEL
from pack.names import LABEL as SAME
from shared import schedule

assert LABEL is SAME


def create_schedule():
    return schedule(8, LABEL)
