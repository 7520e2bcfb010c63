from softpq import adapters as adapters
from softpq import compat as compat
from softpq import io as io
from softpq import metrics as metrics
from softpq import plots as plots
from softpq import synthetic as synthetic
from softpq.counting import count as count
from softpq.dataset import evaluate_dataset as evaluate_dataset
from softpq.dataset.results import Results as Results
from softpq.errors import ReadError as ReadError
from softpq.evaluation import Evaluation as Evaluation
from softpq.evaluation import evaluate as evaluate
from softpq.evaluation import score as score
from softpq.explain.thresholds import Surface as Surface
from softpq.explain.thresholds import curve as curve
from softpq.explain.thresholds import sweep as sweep
from softpq.metrics.score import Score as Score
from softpq.metrics.score import mean as mean
from softpq.metrics.score import pooled as pooled
from softpq.settings import PRESETS as PRESETS
from softpq.settings import Settings as Settings
from softpq.table.masks import Masks as Masks
from softpq.table.matching import Matching as Matching
from softpq.table.matching import match as match
from softpq.table.overlap import Overlap as Overlap
from softpq.table.pieces import split_components as split_components

__version__: str
