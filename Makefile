# A thin alias: every target is `python make.py TARGET`, so Windows needs no make.
PYTHON ?= python3

.PHONY: lesson test lab check submit seed gate monitors drill lint notebooks browser-test engines interop fuzz faults bench setup help
lesson test lab check submit seed gate monitors drill lint notebooks browser-test engines interop fuzz faults bench setup help:
	@$(PYTHON) make.py $@
.DEFAULT_GOAL := help
