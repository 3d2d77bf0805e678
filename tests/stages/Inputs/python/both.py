def create_schedule():
    pass


def run(module_text):
    return module_text
