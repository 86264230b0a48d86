"""How names and numbers are written for readers: sentences, tables and cards share it."""

from ._cards import card as card
from ._demands import missed_demand as missed_demand
from ._demands import threshold_sentences as threshold_sentences
from ._methods import MethodWords as MethodWords
from ._methods import method_words as method_words
from ._metrics import MetricWords as MetricWords
from ._metrics import is_usual_positive as is_usual_positive
from ._metrics import metric_words as metric_words
from ._metrics import positive_classes as positive_classes
from ._numbers import count as count
from ._numbers import number as number
from ._numbers import p_value as p_value
from ._numbers import percent as percent
from ._numbers import shown as shown
from ._params import config_words as config_words
from ._params import param_name as param_name
from ._params import param_value as param_value
from ._params import params_that_vary as params_that_vary
from ._scores import PrintedScore as PrintedScore
from ._scores import printed_score as printed_score
