"""How a clause is checked: what the root files (validate, monitors, boundary, drill) are made of."""
