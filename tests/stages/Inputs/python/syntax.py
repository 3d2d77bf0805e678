def create_schedule(:
    pass
