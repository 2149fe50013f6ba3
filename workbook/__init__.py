"""What the notebooks are made with: questions, predictions, figures; and how they are run and stored."""
