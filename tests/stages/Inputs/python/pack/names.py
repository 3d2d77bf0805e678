LABEL = "packed"
