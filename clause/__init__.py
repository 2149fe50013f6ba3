"""How a clause is checked: what the root files (validate, monitors, boundary) are made of."""
