"""What students answer: for each exercise a right answer, right ones in other forms, and wrong ones with their message.

Each module has ANSWER = {file: text}. An entry of RIGHT is (what is different, old text, new text), an entry of WRONG
ends with a piece of the message that names the mistake; there may be more than one pair of texts. A text stands in
exactly one file of the answer, or is (file, text). REFERENCE, where there is one, is a thin adapter over the root
modules.
"""
