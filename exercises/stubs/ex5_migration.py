"""Exercise 5: expand and contract, the rows.

Your job: write three functions.

expand(row)          The row as listings 1.5.0 emits it: everything that was in it, and condition_grade beside
                     item_condition: A is excellent, B is good, C is fair. What an unknown condition is, nobody knows:
                     raise an error (any), and do not guess.

charged_cents(row)   The pricing consumer after it has moved: what a listing costs, in whole cents, from condition_grade
                     and price_cents alone: excellent 100%, good 90%, fair 80%; every price is a multiple of 50.
                     Raise an error (any) for an unknown grade: the silent ELSE was the whole incident.

contract(row)        The row as listings 2.0.0 emits it, from a row of 1.5.0: without item_condition.

    >>> expand({"listing_id": 1, "item_condition": "B", "price_cents": 5000})
    {'listing_id': 1, 'item_condition': 'B', 'price_cents': 5000, 'condition_grade': 'good'}
    >>> charged_cents({"listing_id": 1, "condition_grade": "good", "price_cents": 5000})
    4500

Check: `python -m exercises`. It puts the shop's listings through your functions and your two contracts; the old pricing
consumer, which reads item_condition, has to go on working in between. All of it: exercises/checks/expanding.py
"""
