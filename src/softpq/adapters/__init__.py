"""softpq as other frameworks want it: :mod:`softpq.adapters.torchmetrics` for training loops."""
