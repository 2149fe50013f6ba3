"""What `audit` is made of: SQL read into facts, one file in a process of its own, and the rules that judge them."""
