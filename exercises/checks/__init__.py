"""One check per exercise. Nothing is hidden: what a check calls, with what, and what it expects stands here."""
