# A thin alias: every target is `python make.py TARGET`, so Windows needs no make.
PYTHON ?= python3

.PHONY: lesson test seed gate monitors lint bench setup help
lesson test seed gate monitors lint bench setup help:
	@$(PYTHON) make.py $@
.DEFAULT_GOAL := help
