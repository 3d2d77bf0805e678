def run(module_text, name="renamed", times=1):
    """Renames the function."""
    for _ in range(times):
        module_text = module_text.replace("@mm", "@" + name)
    return module_text


def breaks(module_text):
    return module_text.replace("return", "retrun")


def empties(module_text):
    return ""


def takes_nothing():
    return ""
