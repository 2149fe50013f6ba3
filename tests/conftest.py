"""pytest puts the folder of every conftest.py on the path: from here any_contract.py and wrong_answers/ are found."""
