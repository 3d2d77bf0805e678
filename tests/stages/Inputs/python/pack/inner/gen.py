from shared import schedule

from pack.names import LABEL as SAME

from ..names import LABEL

assert LABEL is SAME


def create_schedule():
    return schedule(8, LABEL)
