"""The paper, reproduced: its experiments, its figures, and which of its claims hold."""
